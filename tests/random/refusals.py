"""Launches that must be refused, because they need more memory than the device has, between launches that need less."""

# Bytes of local accessors: sizes that fit, sizes that exceed every device, and sizes that wrap to small numbers if they
# are counted in 64 bits.
SMALL = [256, 1024]
HUGE = [1 << 40, 1 << 62, 1 << 63, (1 << 64) - 64]


class LocalMemory:
    """One kernel with a few local accessors; some of them may be too large."""

    def __init__(self, random, name):
        self.name, self.seed = name, random.getrandbits(16)
        self.accessors = []
        for i in range(random.randint(1, 3)):
            kind, size = random.choice([("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8)])
            self.accessors.append((f"m{i}", kind, random.choice(SMALL + HUGE) // size))

    def text(self, scene):
        """Statements at the end of the scene, after the last kernel."""
        parts = "\n".join(f"        sycl::local_accessor<{kind}> {name}(sycl::range<1>({count}ull), handler);"
                          for name, kind, count in self.accessors)
        stores = " ".join(f"{name}[l] = static_cast<{kind}>(l + {i});" for i, (name, kind, _) in
                          enumerate(self.accessors))
        total = " + ".join(f"{name}[31 - l]" for name, _, _ in self.accessors)
        return f"""    {{
    program::array<u32> array_{self.name}(queue, "{self.name}", 64, {self.seed}u);
    program::sub_group_size(0);
    program::may_be_refused("{scene}", "{self.name}", [&] {{
      queue.submit([&](sycl::handler& handler) {{
        u32* out = array_{self.name}.data;
{parts}
        handler.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> it) {{
          const u32 l = static_cast<u32>(it.get_local_id(0));
          {stores}
          sycl::group_barrier(it.get_group());
          out[it.get_global_id(0)] = static_cast<u32>({total});
        }});
      }});
      queue.wait();
    }});
    array_{self.name}.print("{scene}");
    }}
"""

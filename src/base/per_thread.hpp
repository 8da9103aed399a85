#pragma once
/// Objects of which each thread has its own, as thread_local ones. Those with destructors take the loader's lock when
/// they are made, which a thread must not wait for while it runs a command: whoever closes a library holds that lock
/// until the library's commands are complete. These need no lock.

#include <pthread.h>

namespace sinter {

/// The calling thread's; made when it asks first, gone when it ends. Those of the main thread stay.
template <class T>
T& per_thread() {
  static constinit thread_local T* mine = nullptr;
  if (!mine) {
    static const pthread_key_t key = [] {
      pthread_key_t made{};
      pthread_key_create(&made, [](void* object) {
        mine = nullptr;
        delete static_cast<T*>(object);
      });
      return made;
    }();
    mine = new T;
    pthread_setspecific(key, mine);
  }
  return *mine;
}

} // namespace sinter

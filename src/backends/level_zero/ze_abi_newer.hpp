#pragma once
/// Extensions that are newer than specification 1.3. Names, numbers and layouts come from <level_zero/ze_api.h> of
/// specification 1.15.

#include "ze_abi.hpp"

namespace sinter::level_zero {

/// The following numbers belong to ZE_experimental_mutable_command_list.
enum : std::uint32_t {
  ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS = 1u << 0,
  ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT = 1u << 1,
  ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE = 1u << 2,
  ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET = 1u << 3,
};
/// The parts of a recorded launch that Sinter changes.
constexpr std::uint32_t mutable_launches =
    ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS | ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT |
    ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE | ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET;
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES = static_cast<ze_structure_type_t>(0x20015);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC = static_cast<ze_structure_type_t>(0x20016);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC = static_cast<ze_structure_type_t>(0x20017);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC = static_cast<ze_structure_type_t>(0x20018);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC = static_cast<ze_structure_type_t>(0x20019);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC = static_cast<ze_structure_type_t>(0x2001a);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC = static_cast<ze_structure_type_t>(0x2001b);
constexpr auto ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC = static_cast<ze_structure_type_t>(0x2001c);

struct ze_mutable_command_list_exp_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t mutableCommandListFlags = 0, mutableCommandFlags = 0;
};
struct ze_mutable_command_list_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0;
};
struct ze_mutable_command_id_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0;
};
struct ze_mutable_commands_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0;
};
struct ze_mutable_kernel_argument_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC;
  const void* pNext = nullptr;
  std::uint64_t commandId = 0;
  std::uint32_t argIndex = 0;
  std::size_t argSize = 0;
  const void* pArgValue = nullptr;
};
struct ze_mutable_group_count_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC;
  const void* pNext = nullptr;
  std::uint64_t commandId = 0;
  const ze_group_count_t* pGroupCount = nullptr;
};
struct ze_mutable_group_size_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC;
  const void* pNext = nullptr;
  std::uint64_t commandId = 0;
  std::uint32_t groupSizeX = 0, groupSizeY = 0, groupSizeZ = 0;
};
struct ze_mutable_global_offset_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC;
  const void* pNext = nullptr;
  std::uint64_t commandId = 0;
  std::uint32_t offsetX = 0, offsetY = 0, offsetZ = 0;
};

/// With this flag, the commands of an immediate list run in order. The runtime sets the flag only for drivers of
/// version first_in_order (1.9) and later, because older drivers may silently ignore the flag.
constexpr std::uint32_t ZE_COMMAND_QUEUE_FLAG_IN_ORDER = 1u << 1, first_in_order = 1u << 16 | 9;

/// The following structure belongs to ZE_extension_device_usablemem_size_properties.
constexpr auto ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES = static_cast<ze_structure_type_t>(0x20041);
struct ze_device_usablemem_size_ext_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES;
  void* pNext = nullptr;
  std::uint64_t currUsableMemSize = 0;
};

#define SINTER_ZE_NEWER_FUNCTIONS(F)                                                                                 \
  F(zeCommandListGetNextCommandIdExp,                                                                               \
    (ze_command_list_handle_t list, const ze_mutable_command_id_exp_desc_t* wanted, std::uint64_t* id))             \
  F(zeCommandListUpdateMutableCommandsExp,                                                                          \
    (ze_command_list_handle_t list, const ze_mutable_commands_exp_desc_t* changes))                                 \
  F(zeCommandListImmediateAppendCommandListsExp,                                                                    \
    (ze_command_list_handle_t immediate, std::uint32_t lists, ze_command_list_handle_t* closed,                     \
     SINTER_ZE_COMMAND_END))

/// The kinds of handles that are translated with zelLoaderTranslateHandle, because a loader may wrap the driver's
/// handles in handles of its own.
enum class handle_kind : std::uint32_t { command_list = 4, event = 7 };

}  // namespace sinter::level_zero

#pragma once
/// Objects that exist once per thread, like thread_local objects. These objects are made without the loader's lock. A
/// thread_local object with a destructor would need this lock. A thread that runs a command must not wait for this
/// lock: another thread may close a library, and then holds the lock until the library's commands are complete.

#include <pthread.h>

namespace sinter {

/// Returns the calling thread's object. The object is made at the thread's first call and destroyed when the thread
/// ends. The main thread's objects are never destroyed.
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

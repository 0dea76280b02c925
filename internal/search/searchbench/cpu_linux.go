package searchbench

import (
	"syscall"
	"time"
	"unsafe"
)

// The clocks of clock_gettime(2). Getrusage counts in ticks of some milliseconds.
const (
	processClock = 2
	threadClock  = 3
)

// threadTime is what the calling thread has used of a processor.
func threadTime() time.Duration { return used(threadClock) }

// processTime is what all threads have used.
func processTime() time.Duration { return used(processClock) }

func used(clock uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); failed != 0 { //nolint:gosec // a pointer for the kernel
		return 0
	}
	return time.Duration(t.Nano())
}

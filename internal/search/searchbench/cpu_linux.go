package searchbench

import (
	"syscall"
	"time"
)

const rusageThread = 1 // RUSAGE_THREAD of getrusage(2)

// threadTime is what the calling thread has used of a processor.
func threadTime() time.Duration { return used(rusageThread) }

// processTime is what all threads have used.
func processTime() time.Duration { return used(syscall.RUSAGE_SELF) }

func used(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

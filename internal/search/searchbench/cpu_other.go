//go:build !linux

package searchbench

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }

// processTime is not known here.
func processTime() time.Duration { return 0 }

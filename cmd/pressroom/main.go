// Command pressroom is a newsroom in one binary. It hands everything to
// internal/cli and exits with the status that comes back.
package main

import (
	"os"
	"runtime"
	_ "time/tzdata" // windows, cron and days have time zones, on machines without any

	"pressroom/internal/cli"
)

// syncing is how many goroutines sync the logs of the stores at a time. While one
// waits for the disk it keeps a processor from the others, until the runtime notices:
// on a small machine that is a third of what it could do.
const syncing = 2

func main() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncing)
	}
	os.Exit(cli.Main())
}

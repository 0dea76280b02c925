// Command pressroom-local is DynamoDB and S3 on one port, a stand-in for AWS: what
// "pressroom local" is, in a small program of its own. It hands everything to
// internal/local and exits with the status that comes back.
package main

import (
	"os"
	"runtime"

	"pressroom/internal/local"
)

// syncing is how many goroutines sync the logs of the stores at a time; see
// cmd/pressroom.
const syncing = 2

func main() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + syncing)
	}
	os.Exit(local.Main())
}

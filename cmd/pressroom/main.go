// Command pressroom is a newsroom in one binary. It hands everything to
// internal/cli and exits with the status that comes back.
package main

import (
	"os"
	_ "time/tzdata" // windows, cron and days have time zones, on machines without any

	"pressroom/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}

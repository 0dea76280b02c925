package cli

import (
	"context"
	"runtime/metrics"
	"time"
)

// restEvery is how often it is looked whether the process rests.
const restEvery = 20 * time.Second

// restingBelow is how many bytes a process allocates a second that has nothing to
// do but to look whether there is.
const restingBelow = 1 << 20

// giveBack calls free, which returns memory to the system, once, each time that the
// process comes to rest: what the start or a busy hour took is otherwise kept for the next one.
func giveBack(ctx context.Context, free func()) {
	tick := time.NewTicker(restEvery)
	defer tick.Stop()
	resting, before := false, allocated()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		rests := now-before < restingBelow*uint64(restEvery/time.Second)
		if rests && !resting {
			free()
		}
		resting, before = rests, now
	}
}

// allocated is how many bytes were ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

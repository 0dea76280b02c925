package model_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/model"
)

func TestHold(t *testing.T) {
	away := errors.New("the store is away")
	// A lease of four minutes, work of an hour.
	tests := []struct {
		name     string
		extend   func(n int32) error // of the nth extension
		want     error
		lost     time.Duration // when the work's context ends
		extended int32
	}{
		{name: "kept", extend: func(int32) error { return nil }, extended: 59},
		{name: "another's", extend: func(n int32) error {
			if n == 3 {
				return model.ErrCondition
			}
			return nil
		}, want: model.ErrLost, lost: 3 * time.Minute, extended: 3},
		{name: "the item is gone", extend: func(int32) error { return model.ErrNotFound }, want: model.ErrLost, lost: time.Minute, extended: 1},
		{name: "the store comes back in time", extend: func(n int32) error {
			if n == 4 || n == 5 {
				return away
			}
			return nil
		}, extended: 59},
		{name: "the store stays away", extend: func(n int32) error {
			if n > 3 {
				return away
			}
			return nil
		}, want: model.ErrLost, lost: 7 * time.Minute, extended: 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int32
				begin := time.Now()
				err := model.Hold(t.Context(), model.Holding{For: 4 * time.Minute, Extend: func(context.Context) error { return tt.extend(n.Add(1)) }},
					func(ctx context.Context) error {
						select {
						case <-ctx.Done():
							if got := time.Since(begin); got != tt.lost {
								t.Errorf("the work was stopped after %v, want %v", got, tt.lost)
							}
							return ctx.Err()
						case <-time.After(time.Hour - time.Second):
							return nil
						}
					})
				if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				if got := n.Load(); got != tt.extended && (tt.lost == 0 || got != tt.extended+1) { // one more may begin as the lease ends
					t.Errorf("extended %d times, want %d", n.Load(), tt.extended)
				}
			})
		})
	}
}

// A call that hangs does not keep the lease: the work stops when it runs out.
func TestHoldThroughSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		err := model.Hold(t.Context(), model.Holding{For: 4 * time.Minute, Left: 2 * time.Minute, Extend: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}, func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if took := time.Since(begin); !errors.Is(err, model.ErrLost) || took != 2*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// The caller's context ends the work, not the lease: it is extended while the work
// comes to its end.
func TestHoldWhileStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var after atomic.Int32
		stopped := errors.New("stopped in good order")
		err := model.Hold(ctx, model.Holding{For: 4 * time.Minute, Extend: func(call context.Context) error {
			if ctx.Err() != nil {
				after.Add(1)
			}
			return call.Err()
		}}, func(work context.Context) error {
			cancel()
			<-work.Done()
			time.Sleep(10 * time.Minute)
			return stopped
		})
		if !errors.Is(err, stopped) || errors.Is(err, model.ErrLost) || after.Load() < 9 {
			t.Errorf("%v, extended %d times", err, after.Load())
		}
	})
}

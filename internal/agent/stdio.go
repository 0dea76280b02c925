package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// unclosed is a writer that others close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// Relay lets a program that speaks over pipes use the newsroom at an address: it
// passes messages on in both directions until the program has said all it has to say
// and has its answers, or the newsroom can no longer be reached.
func Relay(ctx context.Context, in io.Reader, out io.Writer, endpoint string, client *http.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	near, err := (&mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}}).Connect(ctx)
	if err != nil {
		return err
	}
	far, err := (&mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: client, DisableStandaloneSSE: true}).Connect(ctx)
	if err != nil {
		return err
	}
	var asked atomic.Int64 // calls that have no answer yet
	answered := make(chan struct{}, 1)
	back := make(chan error, 1)
	go func() {
		for {
			message, err := far.Read(ctx)
			if err == nil {
				err = near.Write(ctx, message)
			}
			if err != nil {
				back <- err
				return
			}
			if _, ok := message.(*jsonrpc.Response); ok {
				asked.Add(-1)
				select {
				case answered <- struct{}{}:
				default:
				}
			}
		}
	}()
	there := make(chan error, 1)
	go func() {
		for {
			message, err := near.Read(ctx)
			if errors.Is(err, io.EOF) {
				for asked.Load() > 0 && ctx.Err() == nil {
					select {
					case <-answered:
					case <-ctx.Done():
					}
				}
				there <- nil
				return
			}
			if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
				asked.Add(1)
			}
			if err == nil {
				err = far.Write(ctx, message)
			}
			if err != nil {
				there <- err
				return
			}
		}
	}()
	select {
	case err = <-there:
	case err = <-back:
	}
	if err != nil {
		return fmt.Errorf("the newsroom at %s: %w", endpoint, err)
	}
	return nil
}

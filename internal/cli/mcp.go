package cli

import (
	"net/http"
	"os"
	"time"

	"pressroom/internal/agent"
)

// mcpCmd connects an agent to a newsroom.
type mcpCmd struct {
	Server serviceURL `default:"http://127.0.0.1:8080" placeholder:"URL" help:"Where the newsroom is."`
	Token  Secret     `help:"A token of the newsroom, to come as its account; without it as anyone."`
}

// Help is the text under the command's usage line.
func (mcpCmd) Help() string {
	return `Messages of the Model Context Protocol on standard input go to the newsroom's /mcp, and its answers to
standard output. Programs that speak HTTP connect to /mcp themselves.`
}

// Run passes messages on until the input ends.
func (c *mcpCmd) Run(r *run) error {
	client := &http.Client{Timeout: time.Minute, Transport: bearer(c.Token.Reveal())}
	err := agent.Relay(r.ctx, os.Stdin, r.Stdout, string(c.Server)+agent.Path, client)
	return ignoreCanceled(r.ctx, err)
}

// bearer sends a token with every request; none if it is empty.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

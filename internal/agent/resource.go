package agent

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pressroom/internal/errs"
)

// scheme is what addresses of stories begin with: pressroom://stories/<desk>/<id>.
const scheme = "pressroom://stories/"

// addResources lets agents take stories as resources: by address, as read_story gives
// them.
func (s *server) addResources(out *mcp.Server, r *http.Request) {
	out.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "story", Title: "A story with its passages", MIMEType: "application/json", URITemplate: scheme + "{desk}/{id}",
		Description: "What a desk published, with the passages of its text and their citations. The id is as searches give it, percent-encoded.",
	}, func(ctx context.Context, call *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := call.Params.URI
		desk, id, _ := strings.Cut(strings.TrimPrefix(uri, scheme), "/")
		id, err := url.PathUnescape(id)
		if err != nil || !strings.HasPrefix(uri, scheme) {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		arguments, err := json.Marshal(map[string]string{"desk": desk, "id": id})
		if err != nil {
			return nil, err
		}
		for _, tool := range s.o.API.Tools() {
			if tool.Name != "read_story" {
				continue
			}
			body, err := s.ask(ctx, r, &tool, arguments)
			if err != nil {
				return nil, errs.New(errs.NotFound, "%s", errs.Message(err))
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(body)}}}, nil
		}
		return nil, mcp.ResourceNotFoundError(uri)
	})
}

// addPrompts offers the questions that people ask most, so that they are asked well.
func (s *server) addPrompts(out *mcp.Server) {
	for _, p := range []struct{ name, title, argument, of, text string }{
		{
			"brief", "A brief on a matter", "matter", "what the brief is about: a bill, a person, a word",
			"Write a brief of at most ten sentences on “%s”. Search the newsroom, read the stories and passages that matter, and tell only what they say. After each sentence give the address of the passage it rests on. Say what is not known.",
		},
		{
			"check", "Is this quotation right?", "quotation", "the words, and who is said to have said them",
			"Find out whether this was said as quoted: “%s”. Search for it, read the passages, and compare word by word. Answer with the passage's exact words and its address, or say that it was not found.",
		},
	} {
		out.AddPrompt(&mcp.Prompt{
			Name: p.name, Title: p.title, Arguments: []*mcp.PromptArgument{{Name: p.argument, Description: p.of, Required: true}},
		}, func(_ context.Context, call *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			about := strings.TrimSpace(call.Params.Arguments[p.argument])
			if about == "" {
				return nil, errs.Validation(errs.Field{Name: p.argument, Message: "is required"})
			}
			text := strings.Replace(p.text, "%s", about, 1)
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	}
}

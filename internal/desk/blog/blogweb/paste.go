package blogweb

import (
	"encoding/json"
	"net/http"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/transfer"
)

// paste answers with the blocks that are on an editor's clipboard. Nothing is kept.
func (p *pages) paste(w http.ResponseWriter, r *http.Request) error {
	var clipboard struct{ HTML, Text string }
	if err := json.NewDecoder(r.Body).Decode(&clipboard); err != nil {
		return unread(err)
	}
	blocks := transfer.Pasted(clipboard.HTML, clipboard.Text)
	if blocks == nil {
		blocks = []blog.Block{}
	}
	return answerJSON(w, http.StatusOK, map[string]any{"blocks": blocks})
}

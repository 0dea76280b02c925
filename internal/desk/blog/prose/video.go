package prose

import (
	"html"
	"net/url"
	"regexp"
	"strings"
)

// Player is a video that a page can show in a frame of a known host, without
// telling that host of readers who do not play it.
type Player struct {
	Host  string // "YouTube"
	Embed string // the address of the frame
}

var (
	youTubeID  = regexp.MustCompile(`^[A-Za-z0-9_-]{11}$`)
	vimeoID    = regexp.MustCompile(`^[0-9]{1,12}$`)
	niconicoID = regexp.MustCompile(`^[a-z]{2}[0-9]{1,12}$`)
)

// PlayerOf returns the player for the address of a video, if its host is one of
// those that are known.
func PlayerOf(address string) (Player, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return Player{}, false
	}
	host := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), "m.")
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch host {
	case "youtube.com", "youtube-nocookie.com", "youtu.be":
		if id := youTube(host, u, parts); youTubeID.MatchString(id) {
			return Player{"YouTube", "https://www.youtube-nocookie.com/embed/" + id}, true
		}
	case "vimeo.com", "player.vimeo.com":
		if id := parts[len(parts)-1]; vimeoID.MatchString(id) {
			return Player{"Vimeo", "https://player.vimeo.com/video/" + id + "?dnt=1"}, true
		}
	case "nicovideo.jp", "embed.nicovideo.jp", "nico.ms":
		if id := parts[len(parts)-1]; niconicoID.MatchString(id) {
			return Player{"Niconico", "https://embed.nicovideo.jp/watch/" + id}, true
		}
	}
	return Player{}, false
}

// EmbedHosts are the origins of all players, for a Content-Security-Policy's
// frame-src.
var EmbedHosts = []string{"https://www.youtube-nocookie.com", "https://player.vimeo.com", "https://embed.nicovideo.jp"}

func youTube(host string, u *url.URL, parts []string) string {
	switch {
	case host == "youtu.be":
		return parts[0]
	case parts[0] == "watch":
		return u.Query().Get("v")
	case len(parts) == 2 && (parts[0] == "embed" || parts[0] == "shorts" || parts[0] == "live"):
		return parts[1]
	}
	return ""
}

// Video writes a link to a video. If its host is known, the figure says in
// data-embed what a script may put in its place when the reader asks for it.
func (w *Writer) Video(address, caption string) string {
	w.note(caption)
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return `<figure class="video missing">` + figcaption(caption) + `</figure>`
	}
	name, open := hostOf(address), `<figure class="video">`
	if p, ok := PlayerOf(address); ok {
		name, open = p.Host, `<figure class="video" data-embed="`+html.EscapeString(p.Embed)+`">`
	}
	label := caption
	if label == "" {
		label = address
	}
	return open + `<a href="` + html.EscapeString(address) + `" rel="noopener noreferrer"><span class="host">` +
		html.EscapeString(name) + `</span> <span class="label">` + html.EscapeString(label) + `</span></a>` + figcaption(caption) + `</figure>`
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

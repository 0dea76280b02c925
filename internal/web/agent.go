package web

import "strings"

// sign is a word in a browser's name for itself, and what people call it. The
// first that is found counts: browsers name their ancestors too.
type sign struct{ word, name string }

var (
	browsers = []sign{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}
	systems  = []sign{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"}}
)

// agentName makes "Firefox, Linux" of a browser's long name for itself; what it
// does not know it leaves as it is.
func agentName(agent string) string {
	browser, system := find(browsers, agent), find(systems, agent)
	switch {
	case browser == "":
		return agent
	case system == "":
		return browser
	}
	return browser + ", " + system
}

func find(signs []sign, text string) string {
	for _, s := range signs {
		if strings.Contains(text, s.word) {
			return s.name
		}
	}
	return ""
}

package setting

import "strings"

// Nearest returns the candidate that word was probably meant to be. A candidate
// counts when at most a third of the word is wrong, or when the word is the
// beginning of it; the first of equals wins.
func Nearest(word string, candidates []string) (string, bool) {
	const tooFar = 1 << 30
	best, distance := "", tooFar
	for _, c := range candidates {
		d := editDistance(strings.ToLower(word), strings.ToLower(c))
		if len(word) >= 2 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			d = 1
		}
		if d < distance {
			best, distance = c, d
		}
	}
	allowed := max(1, len([]rune(word))/3)
	if distance > allowed {
		return "", false
	}
	return best, true
}

// editDistance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, prev, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(t)]
}

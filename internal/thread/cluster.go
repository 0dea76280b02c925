package thread

import "slices"

const (
	most   = 3.0  // no score counts more, nor less than its opposite
	apart  = -3.0 // the score of two stories that are not linked
	strong = 0.2  // how much the best link of two groups counts beside their mean
	never  = -1e9 // the score of what an editor put apart
)

// cluster joins the closest two groups of stories until none are close. The result depends
// on the links alone. What an editor put apart never comes together; groups of which an editor
// put two stories together are one in the end.
func (x *Index) cluster(group []int32) [][]int32 {
	at := make(map[int32]int, len(group))
	for i, g := range group {
		at[g] = i
	}
	sum, best, sets := make([][]float64, len(group)), make([][]float64, len(group)), make([][]int32, len(group))
	for i, g := range group {
		sum[i], best[i], sets[i] = slices.Repeat([]float64{apart}, len(group)), slices.Repeat([]float64{apart}, len(group)), []int32{g}
		for _, l := range x.links[g] {
			if j, ok := at[l.to]; ok {
				sum[i][j], best[i][j] = l.score, l.score
				if l.said < 0 {
					sum[i][j] = never
				}
			}
		}
	}
	for {
		top, a, b := 0.0, -1, -1
		for i := range group {
			for j := range i {
				if sets[i] == nil || sets[j] == nil || best[i][j] <= 0 {
					continue
				}
				if s := strong*best[i][j] + (1-strong)*sum[i][j]/float64(len(sets[i])*len(sets[j])); s > top {
					top, a, b = s, i, j
				}
			}
		}
		if a < 0 {
			break
		}
		for k := range group {
			sum[b][k] += sum[a][k]
			best[b][k] = max(best[b][k], best[a][k])
			sum[k][b], best[k][b] = sum[b][k], best[b][k]
		}
		sets[b], sets[a] = append(sets[b], sets[a]...), nil
	}
	return x.obeyed(slices.DeleteFunc(sets, func(s []int32) bool { return s == nil }))
}

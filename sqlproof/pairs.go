package sqlproof

import (
	"fmt"

	"github.com/qedkit/qed/sqlproof/proof"
)

// pairs says that a statement which lists rows has each row of one table with each row of
// another one that belongs to the same row of a third.
func (s *scope) pairs() {
	c := s.seenBy(nil)
	known := make([][]bool, len(s.leaves))
	for i, l := range s.leaves {
		known[i] = closure(c.n, c.rules, []attr{l.row}, c.holds)
	}
	for i, left := range s.leaves {
		for j, right := range s.leaves[i+1:] {
			j += i + 1
			if known[i][right.row] || known[j][left.row] || left.object == nil || right.object == nil {
				continue
			}
			for n, shared := range s.leaves {
				if n == i || n == j || !known[i][shared.row] || !known[j][shared.row] {
					continue
				}
				if c.knowsKeys(left) && c.knowsKeys(right) && !c.both(known, i, j) {
					s.say(proof.Finding{
						Code: proof.Chasm, Severity: proof.Note, At: int(s.frame.sel.Pos),
						Subject: shared.label, Of: []string{left.label}, By: []string{right.label},
						Message: fmt.Sprintf("each row of %s stands with each row of %s that has the same %s", left.label, right.label, shared.label),
						Fix:     "read them in two statements, or one of them in a subquery",
					})
					return
				}
			}
		}
	}
}

// both reports whether a row of a third leaf determines those of two others, as that of a
// table which links them.
func (c *view) both(known [][]bool, i, j int) bool {
	for n := range c.leaves {
		if n != i && n != j && known[n][c.leaves[i].row] && known[n][c.leaves[j].row] {
			return true
		}
	}
	return false
}

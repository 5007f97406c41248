package sqlagent

import (
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A joinChoice is the plan of joins that the user chose.
type joinChoice struct {
	Text   string // as the user saw it
	Own    []int  // its relationships that are not in all plans, as indexes into the catalog
	Rivals []int  // those of the other plans that are not in it
}

// chosen returns the choice of plan i: its relationships that are not in all plans,
// and those of the others that it does not have.
func (r *reader) chosen(plans []joinpath.Plan, i int, text string) *joinChoice {
	count := map[string]int{}
	own := map[string]bool{}
	for n, plan := range plans {
		for _, step := range plan.Steps() {
			key := step.Relationship.Key()
			count[key]++
			own[key] = own[key] || n == i
		}
	}
	c := &joinChoice{Text: text}
	for index, rel := range r.catalog.relationships {
		switch key := rel.Key(); {
		case own[key] && count[key] < len(plans):
			c.Own = append(c.Own, index)
		case count[key] > 0 && !own[key]:
			c.Rivals = append(c.Rivals, index)
		}
	}
	return c
}

// ErrJoinNotChosen is the code of the problem of a statement that joins tables in
// another way than the user chose.
const ErrJoinNotChosen refusal.Code = "join_not_chosen"

// otherJoins returns the joins by which a statement departs from the user's choice.
// It returns none if the statement follows the choice, has nothing to do with it, or
// joins by what cannot be compared.
func (r *reader) otherJoins(path []qed.Join, choice *joinChoice) []string {
	used := func(j qed.Join, relationships []int) int {
		return slices.IndexFunc(relationships, func(i int) bool { return follows(j, r.catalog.relationships[i]) })
	}
	missing := slices.Clone(choice.Own)
	for _, j := range path {
		if i := used(j, missing); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var rivals, instead []string
	for _, j := range path {
		if used(j, choice.Rivals) >= 0 {
			rivals = append(rivals, j.String())
		}
		ofMissing := slices.ContainsFunc(missing, func(i int) bool {
			rel := r.catalog.relationships[i]
			return pair(j.Left.Table, j.Right.Table) == pair(rel.FromTable, rel.ToTable)
		})
		if j.Relationship == qed.JoinUnknown && ofMissing {
			instead = append(instead, j.String())
		}
	}
	if len(rivals) > 0 {
		return slices.Compact(rivals)
	}
	return slices.Compact(instead)
}

// follows reports whether a join compares the columns of a relationship.
func follows(j qed.Join, rel joinpath.Relationship) bool {
	from, to := rel.Columns()
	compared := func(left, right qed.JoinSide) bool {
		for i := range from {
			if n := slices.Index(left.Columns, from[i]); n < 0 || right.Columns[n] != to[i] {
				return false
			}
		}
		return left.Table == rel.FromTable && right.Table == rel.ToTable
	}
	return compared(j.Left, j.Right) || compared(j.Right, j.Left)
}

// pair returns two names in a fixed order.
func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// checkChoice returns the problem of a statement that does not join as the user
// chose.
func (a *agent) checkChoice(s *state, report *proof.Report) []refusal.Problem {
	if s.Chosen == nil {
		return nil
	}
	others := a.otherJoins(joinPath(report), s.Chosen)
	if len(others) == 0 {
		return nil
	}
	var own []string
	for _, i := range s.Chosen.Own {
		own = append(own, a.catalog.relationships[i].String())
	}
	return []refusal.Problem{{
		Code: ErrJoinNotChosen, Candidates: own,
		Message: "the user chose " + prompt.Quote(s.Chosen.Text) + ", and this query joins by " + strings.Join(others, " and "),
	}}
}

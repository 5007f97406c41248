package sqlagent

import (
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/wordset"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/sqlproof/proof"
)

// A joinChoice is the plan of joins that the user chose, or that the question names.
type joinChoice struct {
	Text   string // as the user saw it
	Own    []int  // its relationships that are not in all plans, as indexes into the catalog
	Rivals []int  // those of the other plans that are not in it
}

// chosen returns the choice of plan i: its relationships that are not in all plans,
// and those of the others that it does not have.
func (r *reader) chosen(plans []joinpath.Plan, i int, text string) *joinChoice {
	c := &joinChoice{Text: text}
	decided := decisions(plans, i)
	for index, rel := range r.catalog.relationships {
		if own, ok := decided[rel.Key()]; own {
			c.Own = append(c.Own, index)
		} else if ok {
			c.Rivals = append(c.Rivals, index)
		}
	}
	return c
}

// ownSteps returns the steps of each plan whose relationships are not in all of them.
func ownSteps(plans []joinpath.Plan) [][]joinpath.Step {
	count := map[string]int{}
	for _, plan := range plans {
		for _, step := range plan.Steps() {
			count[step.Relationship.Key()]++
		}
	}
	own := make([][]joinpath.Step, len(plans))
	for i, plan := range plans {
		own[i] = slices.DeleteFunc(plan.Steps(), func(s joinpath.Step) bool { return count[s.Relationship.Key()] >= len(plans) })
	}
	return own
}

// decisions returns, by the keys of the relationships that are not in all plans, whether plan
// i has them.
func decisions(plans []joinpath.Plan, i int) map[string]bool {
	own := ownSteps(plans)
	decided := map[string]bool{}
	for _, step := range slices.Concat(own...) {
		decided[step.Relationship.Key()] = false
	}
	for _, step := range own[i] {
		decided[step.Relationship.Key()] = true
	}
	return decided
}

// decided returns the plan all of whose own relationships the user chose before, or -1 if
// there is none, or another one has no relationship that the user did not choose.
func (s *state) decided(plans []joinpath.Plan) int {
	found := -1
	for i, steps := range ownSteps(plans) {
		chosen, rejected := len(steps) > 0, false
		for _, step := range steps {
			yes, known := s.Decided[step.Relationship.Key()]
			chosen, rejected = chosen && yes, rejected || known && !yes
		}
		switch {
		case chosen && found < 0:
			found = i
		case !rejected:
			return -1
		}
	}
	return found
}

// namedPlan returns the only plan of whose own relationships the question names a role, or
// -1. A question with a negation may name the role that is not meant.
func namedPlan(question string, plans []joinpath.Plan) int {
	words := strings.Fields(textmatch.Fold(question))
	if slices.ContainsFunc(words, func(w string) bool { return negations[w] }) {
		return -1
	}
	found := -1
	for i, steps := range ownSteps(plans) {
		if !slices.ContainsFunc(steps, func(s joinpath.Step) bool { return namesRole(words, s.Relationship) }) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

var negations = wordset.Of("not no never without except excluding instead than nicht kein keine keinen keiner nie ohne ausser ausgenommen statt als")

// namesRole reports whether a text has the words of a role one after the other. The name of
// a table is no role.
func namesRole(text []string, r joinpath.Relationship) bool {
	role := strings.Fields(textmatch.Fold(roleOf(r)))
	tables := strings.Fields(textmatch.Fold(plain(r.FromTable) + " " + plain(r.ToTable)))
	is := func(word, said string) bool { return said == word || said == word+"s" || said+"s" == word }
	if !slices.ContainsFunc(role, func(word string) bool {
		return !slices.ContainsFunc(tables, func(t string) bool { return is(word, t) })
	}) {
		return false
	}
	for i := range len(text) - len(role) + 1 {
		if slices.EqualFunc(role, text[i:i+len(role)], is) {
			return true
		}
	}
	return false
}

// ErrJoinNotChosen is the code of the problem of a statement that joins tables in
// another way than the user chose, or the question names.
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
	own := lists.Map(s.Chosen.Own, func(i int) string { return a.catalog.relationships[i].String() })
	return []refusal.Problem{{
		Code: ErrJoinNotChosen, Candidates: own,
		Message: "the user asked for " + prompt.Quote(s.Chosen.Text) + ", and this query joins by " + strings.Join(others, " and "),
	}}
}

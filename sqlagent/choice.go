package sqlagent

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
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
func (r *reader) otherJoins(stmt *secureview.Statement, choice *joinChoice) []string {
	used := map[int]bool{}
	var clauses []*comparison
	for _, from := range stmt.FromClauses() {
		c := r.compare(from)
		for _, e := range c.edges {
			used[e.index] = true
		}
		clauses = append(clauses, c)
	}
	missing := slices.DeleteFunc(slices.Clone(choice.Own), func(i int) bool { return used[i] })
	var rivals, instead []string
	for _, c := range clauses {
		byRival, apart := c.departures(choice.Rivals, missing)
		rivals, instead = append(rivals, byRival...), append(instead, apart...)
	}
	if len(missing) == 0 {
		return nil
	}
	if len(rivals) > 0 {
		return slices.Compact(rivals)
	}
	return slices.Compact(instead)
}

// departures returns the joins that follow a rival of the user's choice, and those
// that connect the tables of a missing relationship in another way.
func (c *comparison) departures(rivals, missing []int) (byRival, instead []string) {
	joined := newGroups(len(c.names))
	for i, j := range c.from.Joins {
		if c.join(i).Relationship != "" {
			joined.connect(j.Left, j.Right)
		}
	}
	for i, j := range c.from.Joins {
		text := c.join(i).String()
		if e := c.edge(j); e != nil && slices.Contains(rivals, e.index) {
			byRival = append(byRival, text)
		}
		for _, index := range missing {
			rel := c.catalog.relationships[index]
			reached := func(end int) bool {
				return c.names[end] == rel.ToTable && slices.ContainsFunc(c.tablesNamed(rel.FromTable), func(t int) bool {
					return t != end && joined[t] == joined[end]
				})
			}
			if reached(j.Left) || reached(j.Right) {
				instead = append(instead, text)
			}
		}
	}
	return byRival, instead
}

// tablesNamed returns the uses of a table.
func (c *comparison) tablesNamed(name string) []int {
	var all []int
	for i, n := range c.names {
		if n == name {
			all = append(all, i)
		}
	}
	return all
}

// checkChoice returns the problem of a statement that does not join as the user
// chose.
func (a *agent) checkChoice(s *state, stmt *secureview.Statement) []refusal.Problem {
	if s.Chosen == nil {
		return nil
	}
	others := a.otherJoins(stmt, s.Chosen)
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

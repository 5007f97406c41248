package joingraph

import (
	"slices"

	"github.com/qedkit/qed/joinpath"
)

const ruleImplied Rule = "implied" // takes.course_id, teaches.course_id: both refer to course

// mostReferring is the number of columns that refer to one key above which no
// edges between them are implied: such a key, like that of a user, relates
// everything to everything.
const mostReferring = 24

// weightImplied is the confidence of a join of two columns that certainly refer to
// the same key. The table of the key is on the shorter path only if it is needed.
const weightImplied = 0.97

// implied returns the joins of two columns that refer to the same key.
func (in *inference) implied(edges []Edge) []Edge {
	type reference struct {
		r    joinpath.Relationship
		rule Rule
	}
	groups := map[string][]reference{}
	have := map[string]bool{}
	add := func(r joinpath.Relationship, rule Rule) {
		have[edgeKey(&r)] = true
		if from, _ := r.Columns(); len(from) == 1 && rule != RulePerson && r.FromTable != r.ToTable && r.Confidence > 0 {
			key := r.ToTable + "\x00" + r.ToColumn
			groups[key] = append(groups[key], reference{r, rule})
		}
	}
	for _, r := range in.schema.Relationships {
		if from, to := r.Columns(); len(from) == 1 {
			r.FromColumn, r.ToColumn = from[0], to[0]
			add(r, ruleNone)
		}
	}
	for _, e := range edges {
		add(e.Relationship, e.Evidence.Rule)
	}
	var keys []string
	for key := range groups {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var out []Edge
	for _, key := range keys {
		list := groups[key]
		if len(list) > mostReferring {
			continue
		}
		for i, a := range list {
			for _, b := range list[:i] {
				confidence := round(weightImplied * a.r.Confidence * b.r.Confidence)
				if a.r.FromTable == b.r.FromTable || confidence < in.opt.MinConfidence {
					continue
				}
				from, to := b.r, a.r
				if from.FromTable > to.FromTable {
					from, to = to, from
				}
				e := Edge{Relationship: joinpath.Relationship{
					FromTable: from.FromTable, FromColumn: from.FromColumn, ToTable: to.FromTable, ToColumn: to.FromColumn,
					Type: joinpath.Inferred, Confidence: confidence,
					Provenance: []string{"implied by " + from.String() + " and " + to.String()},
				}}
				if key := edgeKey(&e.Relationship); have[key] {
					continue
				} else {
					have[key] = true
				}
				e.Cardinality = cardinalityOf(
					in.x.tables[in.x.number[e.FromTable]].unique([]string{e.FromColumn}),
					in.x.tables[in.x.number[e.ToTable]].unique([]string{e.ToColumn}))
				e.Evidence = Evidence{Rule: ruleImplied, Types: typesUnknown, Key: keyNone}
				e.Evidence.Names = in.describe(&proposal{rule: ruleImplied}, &e)
				out = append(out, e)
			}
		}
	}
	return out
}

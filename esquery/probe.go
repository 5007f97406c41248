package esquery

import (
	"encoding/json"
	"strconv"
)

// A ClauseProbe measures how one clause contributes to a search that found nothing.
// Both of its searches only count: they return no hits.
type ClauseProbe struct {
	// Path is the location of the clause, as a JSON Pointer into the body.
	Path string `json:"path"`
	// Clause is the clause as its author wrote it. A clause of must_not is what
	// must not match.
	Clause json.RawMessage `json:"clause"`
	// Search has only this clause and the mandatory filter. If it finds nothing,
	// the clause alone is too narrow, or wrong.
	Search *Search `json:"-"`
	// Without has all other clauses. If it finds something, this clause excludes
	// it. It is nil if there is no other clause.
	Without *Search `json:"-"`
}

// maxProbes is more than a person reads.
const maxProbes = 32

// Probes returns a Probe for each clause that a hit must match: the clauses of a
// bool and of the bools in it, otherwise the query, and the post_filter. A
// search without a query has none. If all clauses together find something, only
// a min_score can exclude it.
func (s *Search) Probes() []ClauseProbe {
	clauses := s.clauses()
	clauses = clauses[:min(len(clauses), maxProbes)]
	probes := make([]ClauseProbe, len(clauses))
	for i, clause := range clauses {
		probes[i] = ClauseProbe{Path: clause.path, Clause: clause.query.appendTo(nil), Search: s.counting(clauses[i : i+1])}
		if len(clauses) > 1 {
			others := append(append(make([]clauseAt, 0, len(clauses)), clauses[:i]...), clauses[i+1:]...)
			probes[i].Without = s.counting(others)
		}
	}
	return probes
}

// clauses returns the queries that every hit must match, or must not match.
func (s *Search) clauses() (all []clauseAt) {
	if s.query != nil {
		all = collect(all, s.query, "/query", false)
	}
	if s.postFilter != nil {
		all = collect(all, s.postFilter, "/post_filter", false)
	}
	return all
}

// A clauseAt is a query that every hit must match, or must not match.
type clauseAt struct {
	path  string
	query value
	not   bool
}

// collect adds the clauses of q.
func collect(clauses []clauseAt, q *value, path string, not bool) []clauseAt {
	if parts, ok := conjunction(q); ok && !not {
		for _, part := range parts {
			clauses = collect(clauses, &part.query, path+part.path, part.not)
		}
		return clauses
	}
	return append(clauses, clauseAt{path, *q, not})
}

// conjunction returns the parts of a query that must all match.
func conjunction(q *value) ([]clauseAt, bool) {
	if len(q.members) != 1 {
		return nil, false
	}
	m := &q.members[0]
	if m.key == "constant_score" {
		if filter := m.value.get("filter"); filter != nil {
			return []clauseAt{{"/constant_score/filter", *filter, false}}, true
		}
	}
	if m.key != "bool" {
		return nil, false
	}
	var parts []clauseAt
	required := false
	for i := range m.value.members {
		clause := &m.value.members[i]
		switch clause.key {
		case "must", "filter":
			required = true
			fallthrough
		case "must_not":
			path, not := "/bool/"+clause.key, clause.key == "must_not"
			if clause.value.kind != array {
				parts = append(parts, clauseAt{path, clause.value, not})
				continue
			}
			for j := range clause.value.items {
				parts = append(parts, clauseAt{path + "/" + strconv.Itoa(j), clause.value.items[j], not})
			}
		}
	}
	// If one of the alternatives must match, they are one clause.
	should := m.value.get("should")
	least := m.value.get("minimum_should_match")
	if should != nil && len(list(should)) > 0 && (least != nil && least.text != "0" || least == nil && !required) {
		one := objectValue(member{"should", *should})
		if least != nil {
			one.members = append(one.members, member{"minimum_should_match", *least})
		}
		if len(parts) == 0 {
			return nil, false
		}
		parts = append(parts, clauseAt{"/bool/should", objectValue(member{"bool", one}), false})
	}
	return parts, len(parts) > 0
}

// counting returns a search that counts the documents that match the clauses and
// the mandatory filter.
func (s *Search) counting(clauses []clauseAt) *Search {
	var filter, mustNot []value
	for _, c := range clauses {
		if c.not {
			mustNot = append(mustNot, c.query)
		} else {
			filter = append(filter, c.query)
		}
	}
	query := s.found(filter, mustNot)
	return &Search{
		index: s.index, hidden: s.hidden, mandatory: s.mandatory, query: &query,
		root: objectValue(
			member{"size", value{kind: number, text: "0"}},
			member{"track_total_hits", value{kind: boolean, text: "true"}},
			member{"query", query},
		),
	}
}

package esquery

import (
	"encoding/json"
	"slices"
)

// Search is a search that a [Validator] let through, with the mandatory filter in
// it. Only a Validator makes one. It never changes.
type Search struct {
	index      string
	root       value // as it may be sent
	hidden     *sensitive
	mandatory  []value // the filters that were put in
	query      *value  // the author's own query, within root; nil: none
	postFilter *value  // the author's own post_filter; nil: none
}

// Index returns the name of the index that is searched.
func (s *Search) Index() string { return s.index }

// Body returns what may be sent to _search.
func (s *Search) Body() json.RawMessage { return s.root.appendTo(nil) }

// Shown returns the body as it may be shown to its author: without the exclusion of
// hidden fields, which names them. The mandatory filter stands in it.
func (s *Search) Shown() json.RawMessage {
	if !s.hidden.any() {
		return s.Body()
	}
	shown := s.root.clone()
	s.hidden.unname(&shown)
	return shown.appendTo(nil)
}

// unname takes what a validator excludes out of each _source.
func (s *sensitive) unname(v *value) {
	for i := range v.items {
		s.unname(&v.items[i])
	}
	members := v.members[:0]
	for _, m := range v.members {
		if m.key == "_source" && m.value.kind == object {
			if s.unnameSource(&m.value); len(m.value.members) == 0 {
				continue // there was nothing else to say
			}
		} else {
			s.unname(&m.value)
		}
		members = append(members, m)
	}
	v.members = members
}

func (s *sensitive) unnameSource(source *value) {
	kept := source.members[:0]
	for _, m := range source.members {
		if m.key == "excludes" || m.key == "exclude" {
			m.value.items = slices.DeleteFunc(m.value.items, func(item value) bool { return slices.Contains(s.exclude, item.text) })
			if len(m.value.items) == 0 {
				continue
			}
		}
		kept = append(kept, m)
	}
	source.members = kept
}

// Query returns what may be sent to _count and _validate/query: the query, the
// post_filter and the mandatory filter. A min_score, a knn and a collapse are no part
// of it: those APIs do not take them.
func (s *Search) Query() json.RawMessage {
	query := s.root.get("query")
	if query == nil || s.postFilter != nil {
		var must []value
		for _, part := range [...]*value{s.query, s.postFilter} {
			if part != nil {
				must = append(must, *part)
			}
		}
		all := s.found(must, nil)
		query = &all
	}
	body := objectValue(member{"query", *query})
	return body.appendTo(nil)
}

// found is a query for the documents that match all of filter, none of mustNot, and
// the mandatory filter.
func (s *Search) found(filter, mustNot []value) value {
	clauses := make([]member, 0, 2)
	if filter = append(filter[:len(filter):len(filter)], s.mandatory...); len(filter) > 0 {
		clauses = append(clauses, member{"filter", arrayValue(filter...)})
	}
	if len(mustNot) > 0 {
		clauses = append(clauses, member{"must_not", arrayValue(mustNot...)})
	}
	return objectValue(member{"bool", objectValue(clauses...)})
}

// Redact returns a document's source, or the fields of a hit, without what is
// hidden; where nothing is, as it was. The engine was told to leave it out; this is the
// second fence.
func (s *Search) Redact(source json.RawMessage) (json.RawMessage, error) {
	if !s.hidden.any() {
		return source, nil
	}
	return s.hidden.redact(source)
}

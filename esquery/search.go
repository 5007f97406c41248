package esquery

import (
	"encoding/json"
	"slices"
)

// A Search is a search that a [Validator] accepted, with the mandatory filter in
// it. Only a Validator makes one. It never changes.
type Search struct {
	index      string
	root       value           // the body to send
	shown      json.RawMessage // the same without the exclusion of hidden fields; nil: it excludes none
	hidden     *sensitive
	mandatory  []value // the filters that were added
	query      *value  // the author's query; may be nil
	postFilter *value  // the author's post_filter; may be nil
	cut        []cutField
}

// Index returns the name of the searched index.
func (s *Search) Index() string { return s.index }

// Body returns the body to send to _search.
func (s *Search) Body() json.RawMessage { return s.root.appendTo(nil) }

// Shown returns the body to show to its author: without the exclusion of hidden
// fields, because it names them. It has the mandatory filter.
func (s *Search) Shown() json.RawMessage {
	if s.shown == nil {
		return s.Body()
	}
	return slices.Clone(s.shown)
}

// Query returns the body to send to _count and _validate/query: the query, the
// post_filter and the mandatory filter. These APIs do not accept
// min_score.
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

// found returns a query for the documents that match all of filter, none of
// mustNot, and the mandatory filter.
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

// Redact returns the source of a document, or the fields of a hit, without
// hidden fields. The engine was asked to leave them out, so this is a second
// check.
func (s *Search) Redact(source json.RawMessage) (json.RawMessage, error) {
	if !s.hidden.any() {
		return source, nil
	}
	return s.hidden.redact(source)
}

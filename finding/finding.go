package finding

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
)

// A Finding is the result of a tool in a form that agents understand. If the
// result of a tool has these members, next to its own ones, an agent that plans
// shows the text and the rows, remembers the query and the entities, and adds
// the artifacts to its answer. Embed it in the result of a tool.
//
// Every member is optional. A member with a different type, such as rows that are
// not a [RowsRef], belongs to the tool alone: see [Parse].
type Finding struct {
	Text      string          `json:"text,omitempty"`     // for the user
	Figures   []qed.Figure    `json:"figures,omitempty"`  // in Text; the index of their queries is in Queries
	Unproved  []string        `json:"unproved,omitempty"` // numbers in Text: see [qed.Answer]
	Dates     []dates.Reading `json:"dates,omitempty"`    // that the queries read: see [qed.Answer]
	Used      *qed.Used       `json:"used,omitempty"`     // in the prompts for the queries
	Rows      *RowsRef        `json:"rows,omitempty"`
	Metadata  *QueryMetadata  `json:"query_metadata,omitempty"` // of the query that returned the rows
	Queries   []qed.Query     `json:"queries,omitempty"`        // that ran
	Artifacts []ArtifactRef   `json:"artifacts,omitempty"`
	Citations []qed.Citation  `json:"citations,omitempty"`
	Entities  []Entity        `json:"entities,omitempty"` // that the question is about
	Partial   string          `json:"partial,omitempty"`  // what is missing and why; empty if it is complete
}

// Proof returns the last query that ran, which returned the rows. It returns nil if
// no query ran.
func (f *Finding) Proof() *qed.Query {
	for i := len(f.Queries) - 1; i >= 0; i-- {
		if f.Queries[i].Executed != "" {
			return &f.Queries[i]
		}
	}
	return nil
}

// An Entity is a thing in the data that the user mentioned, such as a port, a
// technician or a job.
type Entity struct {
	Kind string `json:"kind"`           // such as "port"
	Name string `json:"name"`           // as in the data
	ID   string `json:"id,omitempty"`   // in the data
	Said string `json:"said,omitempty"` // the words of the user for it
}

// QueryMetadata says how rows were found and how to find them again, so that a later
// question can refer to them.
type QueryMetadata struct {
	QueryType     string          `json:"query_type"`      // the language: "elasticsearch", "graphql" or "sql"
	Query         json.RawMessage `json:"query"`           // a JSON string or object
	Summary       string          `json:"summary"`         // such as "142 shipments found"
	HowToRetrieve string          `json:"how_to_retrieve"` // a source and a query

	// ExecutedAt is the [qed.TurnTime] of the query. It is later than [qed.Now] if
	// the user approved the query in a later turn.
	ExecutedAt time.Time `json:"executed_at"`

	Request   string          `json:"request,omitempty"`   // the rewritten question that it answers
	TurnID    int             `json:"turn_id,omitempty"`   // the memory entry of the task that ran it
	Tool      string          `json:"tool,omitempty"`      // the tool that ran it
	Arguments json.RawMessage `json:"arguments,omitempty"` // of the tool
	Rows      *RowsRef        `json:"rows,omitempty"`      // that it returned
	Proof     *qed.Query      `json:"proof,omitempty"`     // the query as it ran
}

// Parse returns the members of a tool's result that are members of a [Finding].
// A member with a different type belongs to the tool alone and is left out.
func Parse(output json.RawMessage) (f Finding) {
	var members map[string]json.RawMessage
	if json.Unmarshal(output, &members) != nil {
		return f
	}
	readMember(members["text"], &f.Text)
	readMembers(members["figures"], &f.Figures, func(v qed.Figure) bool {
		return v.Text != "" && 0 <= v.Offset && v.Offset <= len(f.Text) && strings.HasPrefix(f.Text[v.Offset:], v.Text)
	})
	readMember(members["unproved"], &f.Unproved)
	readMembers(members["dates"], &f.Dates, func(r dates.Reading) bool { return r.Words != "" && r.Verdict != "" })
	readMember(members["used"], &f.Used)
	readMember(members["rows"], &f.Rows)
	if f.Rows != nil && f.Rows.Handle == "" && f.Rows.Sample.Columns == nil {
		f.Rows = nil
	}
	readMember(members["query_metadata"], &f.Metadata)
	if f.Metadata != nil && (f.Metadata.QueryType == "" || f.Metadata.Query == nil) {
		f.Metadata = nil
	}
	readMembers(members["queries"], &f.Queries, func(q qed.Query) bool { return q.Language != "" })
	readMembers(members["artifacts"], &f.Artifacts, func(k ArtifactRef) bool { return k.Name != "" || k.MediaType != "" })
	readMembers(members["citations"], &f.Citations, func(s qed.Citation) bool { return s != qed.Citation{} })
	readMembers(members["entities"], &f.Entities, func(e Entity) bool { return e.Name != "" || e.ID != "" })
	readMember(members["partial"], &f.Partial)
	return f
}

func readMember[T any](raw json.RawMessage, into *T) {
	if raw == nil {
		return
	}
	var v T
	if json.Unmarshal(raw, &v) == nil {
		*into = v
	}
}

// readMembers reads a list if all its elements are valid.
func readMembers[T any](raw json.RawMessage, into *[]T, is func(T) bool) {
	var list []T
	readMember(raw, &list)
	if !slices.ContainsFunc(list, func(v T) bool { return !is(v) }) {
		*into = list
	}
}

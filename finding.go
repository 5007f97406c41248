package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/prompt"
)

// A Finding is the result of a tool in a form that agents understand. If the result
// of a tool has these members, next to its own ones, an agent that plans shows the
// text and the rows, remembers the query and the entities, and adds the artifacts
// to its answer. Embed it in the result of a tool.
//
// Every member is optional. A member with a different type, such as rows that are
// not a [RowsRef], belongs to the tool alone: see [ParseFinding].
type Finding struct {
	Text      string         `json:"text,omitempty"` // for the user
	Rows      *RowsRef       `json:"rows,omitempty"`
	Metadata  *QueryMetadata `json:"query_metadata,omitempty"` // of the query that returned the rows
	Queries   []Query        `json:"queries,omitempty"`        // that ran
	Artifacts []ArtifactRef  `json:"artifacts,omitempty"`
	Citations []Citation     `json:"citations,omitempty"`
	Entities  []Entity       `json:"entities,omitempty"` // that the question is about
	Partial   string         `json:"partial,omitempty"`  // what is missing and why; empty if it is complete
}

// Proof returns the last query that ran, which returned the rows. It returns nil if
// no query ran.
func (f *Finding) Proof() *Query {
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
	QueryType     string          `json:"query_type"` // the language: "elasticsearch", "graphql" or "sql"
	Query         json.RawMessage `json:"query"`      // a JSON string or object
	Summary       string          `json:"summary"`    // such as "142 shipments found"
	HowToRetrieve string          `json:"how_to_retrieve"`

	// ExecutedAt is the [TurnTime] of the query. It is later than [Now] if the user
	// approved the query in a later turn.
	ExecutedAt time.Time `json:"executed_at"`

	Request   string          `json:"request,omitempty"`   // the rewritten question that it answers
	TurnID    int             `json:"turn_id,omitempty"`   // the memory entry of the task that ran it
	Tool      string          `json:"tool,omitempty"`      // the tool that ran it
	Arguments json.RawMessage `json:"arguments,omitempty"` // of the tool
	Rows      *RowsRef        `json:"rows,omitempty"`      // that it returned
	Proof     *Query          `json:"proof,omitempty"`     // the query as it ran
}

// A RowsRef refers to the rows of a query, which are saved in the thread. States,
// plans and prompts have only the columns and the first rows. A tool that works on
// rows has a RowsRef in its arguments, and gets the rows with [RowsRef.Table].
type RowsRef struct {
	// Handle is for [Load]. Empty means that Sample has all rows.
	Handle    string `json:"handle,omitempty"`
	Count     int    `json:"count"`
	Truncated bool   `json:"truncated,omitempty"` // the query has more rows than were saved
	Partial   string `json:"partial,omitempty"`   // why rows are missing, if not because of a limit
	Sample    Table  `json:"sample"`              // the columns and the first rows
}

const (
	maxSample = 8 << 10  // bytes of the sample of rows that are saved
	maxAll    = 32 << 10 // bytes of the sample of rows that are not saved
)

// SaveRows saves the rows of t with [Save]. If they are too large, it saves the first
// rows and sets Truncated. Outside a durable run, and if the store fails, the Sample
// has as many rows as fit into the result of a tool.
func SaveRows(ctx context.Context, t *Table) (*RowsRef, error) {
	if t == nil {
		return nil, errors.New("qed: SaveRows: the table is nil")
	}
	kept := *t
	handle, err := Save(ctx, kept)
	for errors.Is(err, ErrTooLarge) && len(kept.Rows) > 1 {
		kept.Rows, kept.Truncated = kept.Rows[:len(kept.Rows)/2], true
		handle, err = Save(ctx, kept)
	}
	if err != nil {
		return nil, err
	}
	sample, most := kept, maxAll
	if handle != "" {
		most = maxSample
		if len(sample.Rows) > sampleRows {
			sample.Rows, sample.Truncated = sample.Rows[:sampleRows], true
		}
	}
	for len(sample.Rows) > 0 {
		text, err := json.Marshal(sample)
		if err != nil {
			return nil, fmt.Errorf("qed: SaveRows: the rows have no JSON: %w", err)
		}
		if len(text) <= most {
			break
		}
		sample.Rows, sample.Truncated = sample.Rows[:len(sample.Rows)/2], true
	}
	if handle == "" {
		kept = sample
	}
	return &RowsRef{Handle: handle, Count: len(kept.Rows), Truncated: kept.Truncated, Sample: sample}, nil
}

// String returns how many rows there are, such as "142 rows found".
func (r *RowsRef) String() string {
	if r.Count == 1 {
		return "1 row found"
	}
	return fmt.Sprintf("%d rows found", r.Count)
}

// Table returns all rows that were saved. If they were removed since, the error
// matches [ErrNotFound].
func (r *RowsRef) Table(ctx context.Context) (*Table, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: the reference to rows is nil", ErrNotFound)
	}
	if r.Handle == "" {
		if len(r.Sample.Rows) < r.Count {
			return nil, fmt.Errorf("%w: the reference has no handle, and its sample has only %d of %d rows",
				ErrNotFound, len(r.Sample.Rows), r.Count)
		}
		t := r.Sample.Clone()
		return &t, nil
	}
	t, err := Load[Table](ctx, r.Handle)
	if err != nil {
		return nil, err
	}
	return &t, nil
}

// An ArtifactRef refers to an [Artifact]. Large data is saved in the thread.
type ArtifactRef struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data,omitempty"`
	Handle    string `json:"handle,omitempty"` // for [Load]; empty if Data has all
}

// inlineArtifact is how many bytes of data an ArtifactRef can have.
const inlineArtifact = 4 << 10

// SaveArtifact saves the data of a with [Save] if it is larger than a few kilobytes.
// If it is larger than [DurableOptions].MaxSavedBytes, the error matches
// [ErrTooLarge].
func SaveArtifact(ctx context.Context, a Artifact) (ArtifactRef, error) {
	k := ArtifactRef{Name: a.Name, MediaType: a.MediaType, Data: a.Data}
	if len(a.Data) <= inlineArtifact {
		return k, nil
	}
	handle, err := Save(ctx, a.Data)
	if err != nil {
		return k, fmt.Errorf("qed: artifact %s: %w", prompt.Clip(a.Name, 100), err)
	}
	if handle != "" {
		k.Data, k.Handle = nil, handle
	}
	return k, nil
}

// Artifact returns the artifact with its data. If the data was removed since, the
// error matches [ErrNotFound].
func (k ArtifactRef) Artifact(ctx context.Context) (Artifact, error) {
	a := Artifact{Name: k.Name, MediaType: k.MediaType, Data: k.Data}
	if k.Handle == "" {
		return a, nil
	}
	data, err := Load[[]byte](ctx, k.Handle)
	a.Data = data
	return a, err
}

// ParseFinding returns the members of a tool's result that are members of a
// [Finding]. A member with a different type belongs to the tool alone and is left
// out.
func ParseFinding(output json.RawMessage) (f Finding) {
	var members map[string]json.RawMessage
	if json.Unmarshal(output, &members) != nil {
		return f
	}
	readMember(members["text"], &f.Text)
	readMember(members["rows"], &f.Rows)
	if f.Rows != nil && f.Rows.Handle == "" && f.Rows.Sample.Columns == nil {
		f.Rows = nil
	}
	readMember(members["query_metadata"], &f.Metadata)
	if f.Metadata != nil && (f.Metadata.QueryType == "" || f.Metadata.Query == nil) {
		f.Metadata = nil
	}
	readMembers(members["queries"], &f.Queries, func(q Query) bool { return q.Language != "" })
	readMembers(members["artifacts"], &f.Artifacts, func(k ArtifactRef) bool { return k.Name != "" || k.MediaType != "" })
	readMembers(members["citations"], &f.Citations, func(s Citation) bool { return s != Citation{} })
	readMembers(members["entities"], &f.Entities, func(e Entity) bool { return e.Name != "" || e.ID != "" })
	readMember(members["partial"], &f.Partial)
	return f
}

func readMember[T any](raw json.RawMessage, into *T) {
	var v T
	if raw != nil && json.Unmarshal(raw, &v) == nil {
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

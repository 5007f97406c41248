package qed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/internal/prompt"
)

// A Finding is what a tool found out, in a form that agents understand: where the result of a tool has these members, beside any of
// its own, [todoagent.New] shows its text and its rows, remembers its query and its entities, and hands out its artifacts. Embed it in a tool's result.
// Every member is optional. One that has another form, such as rows that are no [RowsRef], is the tool's own.
type Finding struct {
	Text      string         `json:"text,omitempty"` // for the user
	Rows      *RowsRef       `json:"rows,omitempty"`
	Metadata  *QueryMetadata `json:"query_metadata,omitempty"` // of the query that the rows come from
	Queries   []Query        `json:"queries,omitempty"`        // the proof
	Artifacts []ArtifactRef  `json:"artifacts,omitempty"`
	Citations []Citation     `json:"citations,omitempty"`
	Entities  []Entity       `json:"entities,omitempty"` // that the user spoke of
	Partial   string         `json:"partial,omitempty"`  // what is missing, and why; empty: nothing
}

// Proof returns the last query that ran, which found the rows, or nil if none did.
func (f *Finding) Proof() *Query {
	for i := len(f.Queries) - 1; i >= 0; i-- {
		if f.Queries[i].Executed != "" {
			return &f.Queries[i]
		}
	}
	return nil
}

// An Entity is a thing of the business that a user spoke of, such as a port, a technician or a job.
type Entity struct {
	Kind string `json:"kind"`           // such as "port"
	Name string `json:"name"`           // its own, as the data has it
	ID   string `json:"id,omitempty"`   // in the data
	Said string `json:"said,omitempty"` // the user's words for it
}

// QueryMetadata says how rows were found, and how to find them again, so that a later question can be about them.
type QueryMetadata struct {
	QueryType     string          `json:"query_type"` // its language: "elasticsearch", "graphql", "sql"
	Query         json.RawMessage `json:"query"`      // the JSON of the whole query: a text, or an object
	Summary       string          `json:"summary"`    // such as "142 shipments found"
	HowToRetrieve string          `json:"how_to_retrieve"`
	ExecutedAt    time.Time       `json:"executed_at"` // when it ran: [TurnTime], which is not [Now] where a user approved it days later

	Request   string          `json:"request,omitempty"`   // the question that it answers, as it was rewritten
	TurnID    int             `json:"turn_id,omitempty"`   // of the memory entry of the task that ran it
	Tool      string          `json:"tool,omitempty"`      // what ran it
	Arguments json.RawMessage `json:"arguments,omitempty"` // what Tool was called with
	Rows      *RowsRef        `json:"rows,omitempty"`      // what was found
	Proof     *Query          `json:"proof,omitempty"`     // what ran
}

// RowsRef are the rows of a query, kept beside the run: states, plans and prompts have the columns and the first rows only.
// A tool that works on rows takes Rows, and reads them with [RowsRef.Table].
type RowsRef struct {
	// Handle is under which the thread keeps them all ([Load]). Empty means that Sample has them all.
	Handle    string `json:"handle,omitempty"`
	Count     int    `json:"count"`
	Truncated bool   `json:"truncated,omitempty"` // there are more rows than those that are kept
	Partial   string `json:"partial,omitempty"`   // why rows are missing, where that is not for their number
	Sample    Table  `json:"sample"`              // the columns and the first rows
}

// How many bytes of rows stand in a tool's result at most: of those that are kept elsewhere, and of those that are not.
const (
	maxSample = 8 << 10
	maxAll    = 32 << 10
)

// SaveRows keeps the rows of t with [Save]. Where they are more than may be kept, the first are, and Truncated says so.
// Outside a durable run, and where the store fails, as many as a tool's result can hold are in the Sample.
func SaveRows(ctx context.Context, t *Table) (*RowsRef, error) {
	if t == nil {
		return nil, errors.New("qed: there is no table whose rows could be kept")
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
			return nil, fmt.Errorf("qed: the rows cannot be kept: %w", err)
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

// Table returns all the rows that are kept. Where they are not any more, the error matches [ErrNotFound].
func (r *RowsRef) Table(ctx context.Context) (*Table, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: there are no rows", ErrNotFound)
	}
	if r.Handle == "" {
		if len(r.Sample.Rows) < r.Count {
			return nil, fmt.Errorf("%w: the rows have none, and the sample has %d of %d", ErrNotFound, len(r.Sample.Rows), r.Count)
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

// A ArtifactRef is an [Artifact] whose data is kept beside the run where it is large.
type ArtifactRef struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data,omitempty"`
	Handle    string `json:"handle,omitempty"` // under which Data is kept; empty: it is here
}

// inlineArtifact is how many bytes of an artifact stand in a state or a tool's result.
const inlineArtifact = 4 << 10

// SaveArtifact keeps a's data with [Save] where it is larger than a few kilobytes. What is larger than may be kept is an error
// that matches [ErrTooLarge].
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

// Artifact returns the artifact with its data.
func (k ArtifactRef) Artifact(ctx context.Context) (Artifact, error) {
	a := Artifact{Name: k.Name, MediaType: k.MediaType, Data: k.Data}
	if k.Handle == "" {
		return a, nil
	}
	data, err := Load[[]byte](ctx, k.Handle)
	a.Data = data
	return a, err
}

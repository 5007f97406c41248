package qed

import "github.com/qedkit/qed/llm"

// An Answer is what an [Agent] says, together with its proof: what ran, where, what came back, and what it rests on.
//
// It is a plain value with a stable JSON form that reads back as it was. The zero Answer says nothing.
type Answer struct {
	Text      string     `json:"text"`
	Table     *Table     `json:"table,omitempty"`   // the rows that the text speaks of; nil when there are none
	Queries   []Query    `json:"queries,omitempty"` // empty where nothing was asked of a database
	Artifacts []Artifact `json:"artifacts,omitempty"`
	Citations []Citation `json:"citations,omitempty"`

	// Partial says that the answer is true but not all that was asked for. PartialReason says what is missing, and why.
	Partial       bool   `json:"partial,omitempty"`
	PartialReason string `json:"partial_reason,omitempty"`

	// Questions are those with which the turn ends. There is no answer before they have replies: Text then has them as text.
	Questions []Question `json:"questions,omitempty"`

	// Usage is what models cost. The agent fills it in; where it does not, and is [Durable], it is that of its [DurableModel] models.
	Usage llm.Usage `json:"usage"`

	// Saved says that the turn is kept: see [Durable].
	Saved bool `json:"saved,omitempty"`
}

// A Query is one question that was put to a database or a search engine, from the model's words to the rows.
type Query struct {
	Language string `json:"language"`        // such as "sql"
	Task     string `json:"task,omitempty"`  // the key of the plan's step that it belongs to; empty where there is no plan
	Index    string `json:"index,omitempty"` // what was searched, where the query itself does not say it

	// Written is the query as the model last wrote it. Executed is what really ran: it may be rewritten and limited,
	// and it is empty when nothing ran. It may leave out what only names fields that are hidden from the model.
	Written  string `json:"written"`
	Executed string `json:"executed,omitempty"`

	Views    []string `json:"views,omitempty"`     // the secure views that stand in for tables
	JoinPath []string `json:"join_path,omitempty"` // the joins that the model was told to make, one a line
	Rows     int      `json:"rows"`                // how many rows came back
	Total    int64    `json:"total,omitempty"`     // how many there are, where that is known and not Rows
	Millis   int64    `json:"millis,omitempty"`    // how long it took
	Cached   bool     `json:"cached,omitempty"`    // it ran for an earlier question, and not again
	Handle   string   `json:"handle,omitempty"`    // under which [Load] has them; empty where they are not kept

	Corrections []Correction `json:"corrections,omitempty"` // oldest first
}

// A Correction is a query that was given up, and why.
type Correction struct {
	Query  string `json:"query"`
	Reason string `json:"reason"`
}

// An Artifact is something made for the answer that is not text, such as a chart.
type Artifact struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // base64 in JSON
}

// A Citation is a place that the answer rests on.
type Citation struct {
	Title    string `json:"title"`
	Location string `json:"location,omitempty"` // such as a URL, or a file and a page
	Excerpt  string `json:"excerpt,omitempty"`
}

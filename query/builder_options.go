package query

import (
	"embed"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/llm"
)

// BuilderOptions are the options of [NewBuilder]. Nil and zero fields mean the
// defaults.
type BuilderOptions struct {
	// Settings are how the tool calls its model.
	llm.Settings
}

// promptData is the data of the prompt for writing a query. Its texts come from
// users, models or data. In Description, Entities, Fields and Previous, < is escaped,
// so that they cannot end a tag around them.
type promptData struct {
	Source      string
	Language    string // [Elasticsearch], [GraphQL], [SQL] or another one
	Description string // what can be queried, in lines
	Request     string
	Dates       dates.Facts // today and the calendar

	Entities string // JSON: the names in the request as the data has them; may be empty
	Fields   string // JSON: the terms in the request and their fields; may be empty
	Previous string // the query to change; empty if a new one is to be written

	Replies   []promptReply // of the user to questions of the model
	CannotAsk bool          // the user cannot be asked, or not again

	Query    string           // the refused query that the model wrote last; empty the first time
	Problems []string         // what is wrong with Query
	Earlier  []qed.Correction // the queries refused before that, cut short
}

func (d *promptData) ShrinkRows() bool { return modelcall.Halve(&d.Earlier, 0) }

// Shrink leaves out the end of the description: its fields or tables.
func (d *promptData) Shrink() bool { return modelcall.HalveLines(&d.Description, leastDescription) }

// A promptReply is a question and the user's reply.
type promptReply struct{ Question, Reply string }

const (
	maxCorrections      = 3      // of a refused query
	maxQuestions        = 1      // of a call to the user
	maxDataBytes        = 16_384 // each of the request, the entities, the fields and the previous query in a prompt
	maxDescriptionBytes = 65_536 // the description of a source in a prompt
	leastDescription    = 8      // lines of it that a prompt keeps
	builderTimeout      = 5 * time.Minute
)

//go:embed prompts/build.tmpl
var promptFiles embed.FS

var buildPrompt = drafts.Parse(promptFiles, "build.tmpl")

package sqlagent

import (
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Options are the agent's limits and texts. A nil Options and zero fields mean
// the defaults named at each field; a negative number is an error where no
// meaning is given for it.
type Options struct {
	// MinConfidence is the least confidence of a relationship that is used: 0.7.
	MinConfidence float64
	// MaxHops is the longest join path between two tables: 4.
	MaxHops int
	// MaxTables is how many tables the model may choose: 8.
	MaxTables int
	// MaxFallbackTables is how many tables are chosen by their names where the
	// model chooses none: 5.
	MaxFallbackTables int
	// MaxTablesInContext is how many tables a prompt describes, those that only
	// connect others included: 20.
	MaxTablesInContext int
	// MaxTablesInSelection is how many tables the model chooses from: 250. Where
	// there are more, those nearest to the question's words are shown.
	MaxTablesInSelection int

	// MaxCorrections is how often a refused or failed statement is corrected: 3;
	// negative: never.
	MaxCorrections int
	// MaxRows is how many rows are read: 100. A lower limit of the policy holds.
	MaxRows int
	// SampleRows is how many rows of each table the model sees: 1; negative: none.
	SampleRows int

	// MaxRelationships is how many relationships around the chosen tables are
	// looked at: 50.
	MaxRelationships int
	// MaxRelationshipsInPrompt is how many of them a prompt shows: 20.
	MaxRelationshipsInPrompt int
	// MaxPaths is how many join paths or equally good plans a prompt shows: 10.
	MaxPaths int
	// MaxColumnsInSchema is how many columns of a table are shown for writing
	// SQL: 50.
	MaxColumnsInSchema int
	// MaxColumnsInCorrection is how many are shown for correcting it: 100.
	MaxColumnsInCorrection int
	// MaxHistorySQL is how many characters of an earlier attempt a correction
	// shows: 100.
	MaxHistorySQL int
	// MaxHistoryMessages is how many earlier messages of the conversation a
	// prompt carries: 50, which is more than a [qed.Memory] tells by default.
	MaxHistoryMessages int

	// SkipColumnMessages keeps the model from being told which columns a table
	// has, and where a missing one was found, when a statement names a wrong
	// one. The statement is refused all the same.
	SkipColumnMessages bool

	// Settings are how the agent calls its model.
	llm.Settings

	// MaxContextTokens limits what one call sends, as [llm.EstimateTextTokens] counts
	// it: 120000. The conversation's oldest messages are left out first.
	MaxContextTokens int
	// MaxStatements is how many statements the model may write in one turn,
	// whatever the other limits allow: 15.
	MaxStatements int
	// AskJoins has the agent ask the user where several joins are equally near,
	// instead of leaving the choice to the model. It needs a Store, or to be
	// part of an agent that has one; where nobody can be asked the model chooses.
	AskJoins bool

	// Store keeps conversations, so that a turn can go on after a crash or a
	// question; nil: nothing is kept. See [qed.Durable].
	Store store.Store
	// Durable says how Store keeps them; nil: as [qed.DurableOptions] says, with
	// a user's messages read as replies by the agent's model.
	Durable *qed.DurableOptions

	// Prompts replaces texts sent to the model; nil: none.
	Prompts *Prompts
}

// maxOption bounds a limit, so that a few times as much still is a number.
const maxOption = 1 << 28

func (o *Options) withDefaults() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	if v.MinConfidence < 0 || v.MinConfidence > 1 {
		return v, fmt.Errorf("sqlagent: Options.MinConfidence is %v: it lies between 0 and 1", v.MinConfidence)
	}
	if v.MinConfidence == 0 {
		v.MinConfidence = 0.7
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{
		{"MaxHops", &v.MaxHops, 4},
		{"MaxTables", &v.MaxTables, 8},
		{"MaxFallbackTables", &v.MaxFallbackTables, 5},
		{"MaxTablesInContext", &v.MaxTablesInContext, 20},
		{"MaxTablesInSelection", &v.MaxTablesInSelection, 250},
		{"MaxRows", &v.MaxRows, 100},
		{"MaxRelationships", &v.MaxRelationships, 50},
		{"MaxRelationshipsInPrompt", &v.MaxRelationshipsInPrompt, 20},
		{"MaxPaths", &v.MaxPaths, 10},
		{"MaxColumnsInSchema", &v.MaxColumnsInSchema, 50},
		{"MaxColumnsInCorrection", &v.MaxColumnsInCorrection, 100},
		{"MaxHistorySQL", &v.MaxHistorySQL, 100},
		{"MaxHistoryMessages", &v.MaxHistoryMessages, 50},
		{"MaxContextTokens", &v.MaxContextTokens, 120_000},
		{"MaxStatements", &v.MaxStatements, 15},
	} {
		if *f.value < 0 {
			return v, fmt.Errorf("sqlagent: Options.%s is %d: it cannot be negative", f.name, *f.value)
		}
		if *f.value > maxOption {
			return v, fmt.Errorf("sqlagent: Options.%s is %d: at most %d is allowed", f.name, *f.value, maxOption)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	if v.MaxCorrections == 0 {
		v.MaxCorrections = 3
	}
	if v.SampleRows > maxOption {
		return v, fmt.Errorf("sqlagent: Options.SampleRows is %d: at most %d is allowed", v.SampleRows, maxOption)
	}
	if v.SampleRows == 0 {
		v.SampleRows = 1
	}
	var err error
	v.Prompts, err = v.Prompts.withDefaults()
	return v, err
}

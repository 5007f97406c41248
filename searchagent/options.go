package searchagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Options are the agent's limits and texts. A nil Options and zero fields mean
// the defaults named at each field; a negative number is an error where no
// meaning is given for it.
type Options struct {
	// Filter makes the filter that every search of a turn must match, such as
	// {"term":{"tenantId":"a"}}, on top of the Validator's own. It is asked for in
	// each turn that searches, also in one that goes on with an earlier one, whose
	// Text may then be empty. Where it fails, or returns nothing, the turn fails with
	// [ErrFilter] and nothing is searched. Nil: there is none.
	Filter func(context.Context, qed.Turn) (json.RawMessage, error)

	// About says for the model what an index holds, by the index's name: "folders and
	// documents; entityType is FOLDER or DOCUMENT". Nil: nothing.
	About map[string]string

	// MaxSteps is how many steps a plan may have: 5.
	MaxSteps int
	// MaxRegenerations is how often a search that is refused is written anew: 3;
	// negative: never.
	MaxRegenerations int
	// MaxRetries is how often a search that the engine could not run is written anew:
	// 2; negative: never.
	MaxRetries int

	// Size is how many documents a search returns where the question asks for no other
	// number: 100.
	Size int
	// MaxResults is how many documents the last step may read, by pages of Size: 1000.
	MaxResults int
	// MaxChoices is how many documents the user may choose from: 10. Where more were
	// found, he is told.
	MaxChoices int
	// MaxColumns is how many fields of the documents the table shows: 8.
	MaxColumns int
	// MaxSources is how many documents the answer names as its sources: 20.
	MaxSources int

	// MaxFields is how many fields of an index are described for writing a search: 150.
	// Where there are more, those nearest to the question's words are.
	MaxFields int
	// MaxFieldsInPlan is how many are described for planning: 40.
	MaxFieldsInPlan int
	// MaxDocumentBytes is how much of the documents of earlier steps a prompt holds, and
	// of those that are put into words: 32768. Where they are cut, the prompt says so.
	MaxDocumentBytes int
	// MaxHistoryMessages is how many earlier messages of the conversation a
	// prompt carries: 50, which is more than a [qed.Memory] tells by default.
	MaxHistoryMessages int

	// CacheSize is how many lookups are remembered: searches of a step that finds the one
	// thing that later steps need, such as a folder by its name, and found it. 1000;
	// negative: none. They are never shared between turns of another filter, user or
	// company.
	CacheSize int
	// CacheTTL is how long a lookup is remembered: 5 minutes.
	CacheTTL time.Duration

	// SkipClassification leaves out the question whether a message asks for a search at
	// all, which costs a call of the model: for an agent to which only such messages come,
	// as from a [qed.NewRouter]. The planner may still say that it does not.
	SkipClassification bool

	// Settings are how the agent calls its model.
	llm.Settings

	// MaxContextTokens limits what one call sends, as [llm.EstimateTextTokens] counts
	// it: 120000. The conversation's oldest messages are left out first.
	MaxContextTokens int
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

func (o *Options) withDefaults(v *esquery.Validator) (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Store == nil && out.Durable != nil {
		return out, errors.New("searchagent: Options.Durable says how conversations are kept, and there is no Options.Store")
	}
	for name := range out.About {
		if !slices.Contains(v.Indices(), name) {
			return out, fmt.Errorf("searchagent: Options.About tells of an index %s that the validator does not have", prompt.Quote(name))
		}
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{
		{"MaxSteps", &out.MaxSteps, 5},
		{"Size", &out.Size, 100},
		{"MaxResults", &out.MaxResults, 1000},
		{"MaxChoices", &out.MaxChoices, 10},
		{"MaxColumns", &out.MaxColumns, 8},
		{"MaxSources", &out.MaxSources, 20},
		{"MaxFields", &out.MaxFields, 150},
		{"MaxFieldsInPlan", &out.MaxFieldsInPlan, 40},
		{"MaxDocumentBytes", &out.MaxDocumentBytes, 32_768},
		{"MaxHistoryMessages", &out.MaxHistoryMessages, 50},
		{"MaxContextTokens", &out.MaxContextTokens, 120_000},
	} {
		if err := within(f.name, *f.value, 0); err != nil {
			return out, err
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	out.Size = min(out.Size, out.MaxResults)
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{
		{"MaxRegenerations", &out.MaxRegenerations, 3},
		{"MaxRetries", &out.MaxRetries, 2},
		{"CacheSize", &out.CacheSize, 1000},
	} {
		if err := within(f.name, *f.value, -maxOption); err != nil {
			return out, err
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
		*f.value = max(*f.value, 0)
	}
	for _, f := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{
		{"CacheTTL", &out.CacheTTL, 5 * time.Minute},
	} {
		if *f.value < 0 {
			return out, fmt.Errorf("searchagent: Options.%s is %v: it cannot be negative", f.name, *f.value)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	if _, err := v.Check(v.Indices()[0], []byte(`{"size":`+strconv.Itoa(max(out.Size, out.MaxChoices))+`}`)).Search(); err != nil {
		return out, fmt.Errorf("searchagent: Options.Size or MaxChoices is more than the validator lets a search return: %w", err)
	}
	var err error
	out.Prompts, err = out.Prompts.withDefaults()
	return out, err
}

func within(name string, value, least int) error {
	switch {
	case value < least:
		return fmt.Errorf("searchagent: Options.%s is %d: it cannot be negative", name, value)
	case value > maxOption:
		return fmt.Errorf("searchagent: Options.%s is %d: at most %d is allowed", name, value, maxOption)
	}
	return nil
}

// searches is how many searches a step may come to: the first one, those after a
// refusal or a failure, and the one after an empty result, which may be refused and
// fail in its turn within the same limits.
func (o *Options) searches() int { return 2 + o.MaxRegenerations + o.MaxRetries }

package searchagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// Options are the options of [New]. Nil and zero fields mean the defaults. A
// negative number is an error unless a field gives it a meaning.
type Options struct {
	// Filter returns a filter that every search of a turn must match, such as
	// {"term":{"tenantId":"a"}}, in addition to the filter of the Validator. It
	// is called once in each turn that searches, also in a resumed turn, whose
	// Text may be empty. If it fails or returns nothing, the turn fails with
	// [ErrFilter] and nothing is searched. Nil means no filter.
	Filter func(context.Context, qed.Turn) (json.RawMessage, error)

	// About describes indices for the model, by their names: "folders and
	// documents; entityType is FOLDER or DOCUMENT".
	About map[string]string

	// MaxCorrections is how often a search that is refused, or that the engine
	// rejects, is written again. 0 means 3; a negative number means never.
	MaxCorrections int

	// PageSize is how many documents a search returns if the question does not
	// ask for a number, and of how many documents the user can choose the one that
	// is needed, but not less than 10. 0 means 100.
	PageSize int

	// MaxRows is how many documents the last task may read, in pages of PageSize.
	// 0 means 1000.
	MaxRows int

	// MaxDocumentBytes limits the documents in a prompt: those of earlier tasks,
	// and those that are put into words. It also limits [qed.Answer.Documents],
	// which has whole documents only. 0 means 32768. If documents are cut, the prompt
	// says so.
	MaxDocumentBytes int

	// SkipClassification skips the model's decision whether a message asks for a
	// search. Set it if the agent only receives such messages, for example from a
	// router. The planner can still decline.
	SkipClassification bool

	// Settings are how the agent calls its model.
	llm.Settings

	// Store saves conversations, so that a turn can be resumed after a crash or an
	// interruption. Nil means that nothing is saved, unless the agent runs within
	// a durable run of another agent: then it is part of that run. See
	// [qed.Durable].
	Store store.Store

	// Durable configures how conversations are saved in Store. Nil means the
	// defaults of [qed.DurableOptions], with the agent's model reading the user's
	// replies.
	Durable *qed.DurableOptions

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as answer.tmpl: https://github.com/qedkit/qed/tree/main/searchagent/prompts.
	// Begin with a copy. Everything that an index, a user or a model wrote must go
	// through the function quote, or the model could take it for instructions. The
	// documents of a task and the fields of an index are safe already.
	// Nil means the agent's own.
	Prompts fs.FS
}

// Limits that are not options.
const (
	maxTasks           = 5   // of a plan
	maxColumns         = 8   // fields of the documents that the table shows
	maxSourceColumns   = 50  // the same for a source
	maxFields          = 150 // fields of an index that are described for writing a search, the nearest ones
	maxHistoryMessages = 50  // more than a [qed.Memory] returns by default

	// A lookup is the search of a task that finds the one document that later tasks
	// need, such as a folder by its name. Lookups are not shared between turns with
	// another filter, user or tenant, and not between processes: a copy in a store
	// would outlive a change of rights.
	cacheSize = 1000
	cacheTTL  = 5 * time.Minute

	maxPlanFields = 40      // fields of an index that are described for planning
	maxChoices    = 10      // documents of which the user chooses one
	maxCitations  = 20      // documents that the answer cites
	maxOption     = 1 << 28 // of any option, so that multiples of it do not overflow
)

func (o *Options) withDefaults(v *esquery.Validator) (Options, error) {
	out := option.Of(o)
	if out.Store == nil && out.Durable != nil {
		return out, errors.New("searchagent: Options.Durable needs an Options.Store")
	}
	for name := range out.About {
		if !slices.Contains(v.Indices(), name) {
			return out, fmt.Errorf("searchagent: Options.About describes an index %s, which the validator does not have",
				prompt.Quote(name))
		}
	}
	option.DefaultOrNone(&out.MaxCorrections, 3)
	err := errors.Join(
		option.Default("searchagent: Options.PageSize", &out.PageSize, 100),
		option.Default("searchagent: Options.MaxRows", &out.MaxRows, 1000),
		option.Default("searchagent: Options.MaxDocumentBytes", &out.MaxDocumentBytes, 32_768),
	)
	if err != nil {
		return out, err
	}
	if out.MaxCorrections > maxOption {
		return out, fmt.Errorf("searchagent: Options.MaxCorrections is higher than %d", maxOption)
	}
	out.PageSize = min(out.PageSize, out.MaxRows)
	largest := `{"size":` + strconv.Itoa(max(out.PageSize, maxChoices)) + `}`
	if _, err := v.Check(v.Indices()[0], []byte(largest)).Search(); err != nil {
		return out, fmt.Errorf("searchagent: Options.PageSize is higher than the validator allows: %w", err)
	}
	return out, nil
}

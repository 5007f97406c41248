// Package toolagent has an agent that answers with tools: a model calls tools, gets
// their results, and calls more until it can answer.
//
//	agent, err := toolagent.New(model, tools, nil)
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "Is it warm enough in Rome to swim?"})
//
// The tools are those of a [qed.Registry], which checks arguments, asks for
// approval and calls them. A reply may have several calls; the registry makes those
// of idempotent tools at the same time.
//
// # The end of the loop
//
// The loop ends with the first reply without a call, whose text is the answer, after
// [Options.MaxSteps], or when [Options.Limits] are reached. After a limit, one last
// request without tools asks for an answer from what was found, from the part of the
// budget that is reserved for it. If it cannot be made, the answer has the texts that the
// tools found. The same is true if a budget around the turn is used up, or if the
// model fails after tools have found something. Such an answer is partial.
//
// # Calls
//
//   - A call that fails goes back to the model as a result that says why: an unknown
//     tool, wrong arguments, an error of the tool.
//   - A call after the sixteenth of a reply is not made.
//   - A call of an idempotent tool with the same arguments as an earlier one is
//     answered with a reference to the earlier result, until a tool that is not
//     idempotent was called.
//   - Arguments may refer to rows that a tool found by their handle alone:
//     {"handle": "..."} becomes the whole [finding.RowsRef].
//
// # What the model sees
//
// The model's provider receives the question, the conversation, the tools and their
// results. Results are marked as data. A large one is shortened: rows become the
// first and the last rows and statistics of each column, and other JSON or text its
// beginning and its end. If the messages are longer than
// [llm.Settings].ContextTokens, results of the oldest steps are replaced by digests.
// Those of the last step are never replaced.
//
// # Figures
//
// A result with rows is a table: those of a [finding.Finding], a [qed.Table], an
// array of objects, and one that is a member of an object. The model gets its name
// and refers to the values, which code looks up and formats: see package [figures].
// Wrong references go back to the model once. Numbers that the model typed, and that
// are neither in a result nor in what the user said, are the Unproved of the answer.
// An answer with any of these is partial. Without a table no text is changed and no
// number is checked.
//
// # Events
//
// Step n has the path step_n. The text of each reply is emitted on
// [qed.ChannelFinal], with an empty path, while the model writes it. If it is not the
// answer, because calls follow it or it cannot be used, it is discarded: see
// [qed.Token].
//
// # Durable runs
//
// Requests and calls are recorded one by one, and messages are not: a resumed run
// makes them again from what is recorded. A tool may interrupt the run. Its reply
// resumes the same call.
//
// # Requests
//
// The requests have these names, for scripted models and traces
// ([llm.Request.Name]):
//
//	step               calls, or the answer as text
//	wrap_up            the answer as text, after a limit
//	correct_figures    corrections of wrong references to values
//	read_reply         for a message that comes while a question is open
//
// [figures]: https://pkg.go.dev/github.com/qedkit/qed/figures
package toolagent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
)

// New returns an agent that answers with tools. All tools must be in the registry
// before the first turn. Nil options mean the defaults.
//
// The answer has the queries, citations and artifacts of all findings that the
// tools returned ([finding.Finding]), and the rows of the last one that has any.
//
// A turn ends with an error if nothing was found before the model failed or the
// budget was used up, if its context is done, or if [qed.Registry.Do] fails for
// another reason than the budget. A turn without a text is an error that matches
// [qed.ErrEmptyTurn]. The agent is safe for concurrent use.
func New(model llm.Model, tools *qed.Registry, opt *Options) (qed.Agent, error) {
	if tools != nil && tools.Err() != nil {
		return nil, tools.Err()
	}
	if model == nil || tools == nil || len(tools.Names()) == 0 {
		return nil, errors.New("toolagent: New needs a model and tools")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	a := &agent{opt: o, tools: tools, specs: tools.Specs()}
	if a.model, err = modelcall.New("toolagent", model, o.Settings, qed.DurableModel); err != nil {
		return nil, err
	}
	a.memory = &qed.Memory{Tokens: min(maxHistoryTokens, a.model.Room()/4)}
	if o.MaxResultBytes == 0 {
		// At most about a third of the room.
		a.opt.MaxResultBytes = max(minResultBytes, min(maxResultBytes, a.model.Room()))
	}
	a.prompts, err = promptset.Load("toolagent: Options.Prompts", promptFiles, o.Prompts, map[string]any{
		"instructions": instructionsData{}, "wrap_up": wrapUpData{},
	})
	if err != nil {
		return nil, err
	}
	if o.Store == nil {
		return qed.AgentFunc(a.answer), nil
	}
	durable := o.Durable.WithReplyModel(model, o.Settings)
	if durable.Memory != nil {
		a.memory = durable.Memory
	}
	return qed.Durable(qed.AgentFunc(a.answer), o.Store, durable), nil
}

// agent does not change after New.
type agent struct {
	opt     Options
	prompts promptset.Set
	model   *modelcall.Model
	tools   *qed.Registry
	specs   []llm.Tool
	memory  *qed.Memory // selects the conversation for the requests
}

func (a *agent) answer(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	question := strings.TrimSpace(turn.Text)
	if question == "" {
		return qed.Answer{}, fmt.Errorf("toolagent: %w", qed.ErrEmptyTurn)
	}
	r, cancel, err := a.begin(ctx, question, turn.History)
	if err != nil {
		return qed.Answer{}, err
	}
	defer cancel()
	return r.loop()
}

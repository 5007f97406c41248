package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/examples/analyst/orders"
	"github.com/qedkit/qed/examples/internal/cluster"
	"github.com/qedkit/qed/examples/internal/replay"
	"github.com/qedkit/qed/examples/internal/transcript"
	"github.com/qedkit/qed/examples/research/port"
	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// reportRequest is the message of the page's button for a report.
const reportRequest = "Write a report on this analysis."

// suggestions are the recorded conversations that the page offers: each question follows
// the one before it.
var suggestions = func() [][]string {
	var all [][]string
	recorded := transcript.Lines()
	for i := 0; i < len(recorded); i++ {
		together := []string{recorded[i].Text}
		for i+1 < len(recorded) && recorded[i+1].Follows {
			i++
			if strings.HasSuffix(recorded[i].Text, "?") { // the others are replies, which are buttons
				together = append(together, recorded[i].Text)
			}
		}
		all = append(all, together)
	}
	all = append(all, orders.Recorded)
	var planned []string
	for _, t := range shipments().Turns {
		planned = append(planned, t.Text)
	}
	all = append(all, planned)
	for _, question := range port.Recorded() {
		all = append(all, []string{question})
	}
	return all
}()

// shipments is the recorded conversation with the planner. Its user calls the Port of
// Miami "Miami". Its first message names the days, because today is not the day of the
// recording.
func shipments() shipping.Scenario {
	s := shipping.Scenarios()[4]
	s.Turns[0].Text = "Show shipments to Miami from 2025-01-08 to 2025-01-14"
	return s
}

// rules returns the replies of the recorded model for the routes of this program.
func rules() []llmtest.Rule {
	all := slices.Concat(orders.Transcript(), shipping.Replay(shipments()), port.Transcript())
	for _, question := range orders.Recorded {
		all = append(all, transcript.Routed(question, "analyst", "it asks about the service orders"))
	}
	all = append(all, replay.Rule("read_reply", replay.Asks("<message>\n", "never mind"), // the button of that name
		map[string]string{"intent": "abort", "reason": "it drops the question"}))
	all = append(all, transcript.Routed(reportRequest, "report", "it asks for a report"))
	for _, t := range shipments().Turns {
		all = append(all, transcript.Routed(t.Text, "shipments", "it asks about shipments"))
	}
	for _, question := range port.Recorded() {
		all = append(all, transcript.Routed(question, "research", "it asks for a research in the rules of the port"))
	}
	return all
}

// extras are the routes next to those of package assistant, with what they keep open.
type extras struct {
	routes  []router.Route
	closers []func() error
}

func (e *extras) close() error {
	var errs []error
	for _, f := range e.closers {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

func (e *extras) open(ctx context.Context, model llm.Model, conf *settings.Settings, st store.Store) error {
	if err := e.openAnalyst(ctx, model, conf, st); err != nil {
		return err
	}
	if err := e.openPlanner(ctx, model, conf); err != nil {
		return err
	}
	return e.openResearch(ctx, model, conf)
}

func (e *extras) openAnalyst(ctx context.Context, model llm.Model, conf *settings.Settings, st store.Store) error {
	data, err := orders.Open(ctx)
	if err != nil {
		return err
	}
	e.closers = append(e.closers, data.Close)
	a, err := analyst.New(model, analyst.Data{
		DB: data.DB, Policy: data.Policy, Dialect: sqlite.Dialect{}, Table: data.Table,
		Description: "one row per service order of 2023 and 2024",
	}, &analyst.Options{Settings: conf.Agent.Settings})
	if err != nil {
		return err
	}
	e.closers = append([]func() error{a.Close}, e.closers...)
	e.routes = append(e.routes,
		router.Route{
			Name:        "analyst",
			Description: "analyses of the service orders of 2023 and 2024: teams, jobs, invoices, waiting days, ratings",
			Agent:       a,
		},
		router.Route{
			Name:        "report",
			Description: "a report on the analyses of this conversation, if the user asks for one",
			Agent:       reporter(a, st),
		})
	return nil
}

// reporter returns an agent that reports on the explorations of its conversation.
func reporter(a *analyst.Analyst, st store.Store) qed.Agent {
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		history, err := qed.History(ctx, store.ForUser(st, turn.Tenant, turn.User), turn.Thread, 0)
		if err != nil {
			return qed.Answer{}, err
		}
		var found []*analyst.Exploration
		for _, h := range history {
			if h.Answer == nil {
				continue
			}
			switch e, err := analyst.ExplorationOf(*h.Answer); {
			case err == nil:
				found = append(found, e)
			case !errors.Is(err, qed.ErrNotFound):
				return qed.Answer{}, err
			}
		}
		if len(found) == 0 {
			return qed.Answer{Text: "There is nothing to report on yet: ask for an analysis first.", NotFound: true}, nil
		}
		report, err := a.Report(ctx, found...)
		if err != nil {
			return qed.Answer{}, err
		}
		return reportAnswer(report)
	})
}

// reportMedia is the media type of a report's artifact: the JSON of [analyst.Report].
const reportMedia = "application/vnd.qed.report+json"

func reportAnswer(r *analyst.Report) (qed.Answer, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return qed.Answer{}, err
	}
	answer := qed.Answer{
		Text: r.Markdown, Figures: r.Figures, Unproved: r.Unproved,
		Artifacts: []qed.Artifact{{Name: "report", MediaType: reportMedia, Data: raw}},
	}
	for _, q := range r.Queries {
		answer.Queries = append(answer.Queries, qed.Query{
			Language: "sql", Written: q.Query, Executed: q.Query, Rows: len(q.Result.Rows), Cached: true,
		})
	}
	return answer, nil
}

func (e *extras) openPlanner(ctx context.Context, model llm.Model, conf *settings.Settings) error {
	engine, _, err := cluster.Open(ctx, conf.Search, shipping.Recording, shipping.Fill)
	if err != nil {
		return err
	}
	e.closers = append(e.closers, func() error { engine.Close(); return nil })
	server, err := shipping.Serve(ctx)
	if err != nil {
		return err
	}
	e.closers = append(e.closers, server.Close)
	planner, err := shipping.NewAgent(model, engine, server.URL, shipments().User, &todoagent.Options{Settings: conf.Agent.Settings})
	if err != nil {
		return err
	}
	e.routes = append(e.routes, router.Route{
		Name:        "shipments",
		Description: "shipments, containers, ports, vessels and delays of the freight company",
		Agent:       planner,
	})
	return nil
}

// openResearch adds the route of a research, which is a part of the router's durable runs.
func (e *extras) openResearch(ctx context.Context, model llm.Model, conf *settings.Settings) error {
	docs, err := port.Open(ctx)
	if err != nil {
		return err
	}
	agent, err := research.New(model, docs.Index, &research.Options{
		Registry: docs.Registry, TopK: 2, MinPassages: 1, MaxRounds: 2, ApprovePlan: true, Settings: conf.Agent.Settings,
	})
	if err != nil {
		return err
	}
	e.routes = append(e.routes, router.Route{
		Name: "research",
		Description: "a research in the orders, rules and tables of the port of Nordsund: fees, fuel, waste, tugs, cranes. " +
			"It takes minutes, and the user approves its tasks",
		Agent: agent,
	})
	return nil
}

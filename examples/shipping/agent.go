package shipping

import (
	"cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/query/graphql/graphqlsource"
	"github.com/qedkit/qed/resolve"
	"github.com/qedkit/qed/searchagent"
	"github.com/qedkit/qed/todoagent"
	"github.com/qedkit/qed/tools"
)

// graphqlSource is the name of the GraphQL server in plans.
const graphqlSource = "tracking"

// NewAgent returns the agent that answers a user's questions. Questions about many
// shipments or containers go to the engine's indices, which [Fill] makes; questions about
// one thing go to the GraphQL server at a URL (see [Serve]). A nil opt means the agent's
// defaults.
func NewAgent(
	model llm.Model, engine searchagent.Engine, graphqlURL string, user User, opt *todoagent.Options,
) (qed.Agent, error) {
	registry, err := newTools(model, engine, graphqlURL, user, opt)
	if err != nil {
		return nil, err
	}
	agent, err := todoagent.New(model, registry, opt)
	if err != nil {
		return nil, err
	}
	// Last week is the seven days before today.
	return qed.WithCalendar(agent, dates.Calendar{RollingWeek: true})
}

// newTools returns the tools of the plans.
func newTools(
	model llm.Model, engine searchagent.Engine, graphqlURL string, user User, opt *todoagent.Options,
) (*qed.Registry, error) {
	opt = cmp.Or(opt, &todoagent.Options{})
	searched, err := newIndices(engine)
	if err != nil {
		return nil, err
	}
	single, err := newSingle(graphqlURL)
	if err != nil {
		return nil, err
	}
	entities, fields, err := newResolvers(model, user, opt)
	if err != nil {
		return nil, err
	}
	builder, err := query.NewBuilder(model, append(searched[:len(searched):len(searched)], single), &query.BuilderOptions{
		Settings: llm.Settings{Temperature: opt.Temperature, JSONMode: opt.JSONMode},
	})
	if err != nil {
		return nil, err
	}
	search, err := query.NewExecutor("es_executor", searched)
	if err != nil {
		return nil, err
	}
	look, err := query.NewExecutor("graphql_executor", []query.Source{single})
	if err != nil {
		return nil, err
	}
	asks := &tools.Options{Settings: llm.Settings{Temperature: opt.Temperature, JSONMode: opt.JSONMode}}
	registry := qed.NewRegistry(nil)
	return registry, registry.Add(
		entities, fields, builder, search, look,
		tools.NewSummary(model, asks),
		todoagent.NewRetrievalTool(registry, nil),
		tools.NewAnalysis(searched...),
		tools.NewPatterns(searched...),
		tools.NewInsights(model, asks),
		chart.NewTool(),
	)
}

// newResolvers returns the tools that resolve names to entities, and terms to fields.
func newResolvers(model llm.Model, user User, opt *todoagent.Options) (entities, fields qed.Tool, err error) {
	asks := &resolve.Options{Settings: llm.Settings{Temperature: opt.Temperature, JSONMode: opt.JSONMode}}
	names, err := newNames(user)
	if err != nil {
		return entities, fields, err
	}
	terms, err := newTerms()
	if err != nil {
		return entities, fields, err
	}
	if entities, err = resolve.NewEntityTool(model, names, asks); err != nil {
		return entities, fields, err
	}
	fields, err = resolve.NewFieldTool(model, terms, asks)
	return entities, fields, err
}

// newIndices returns the indices as sources of queries.
func newIndices(engine searchagent.Engine) ([]query.Source, error) {
	validator, err := NewValidator()
	if err != nil {
		return nil, err
	}
	var sources []query.Source
	for _, index := range indices {
		s, err := searchagent.NewSource(index, engine, validator, &searchagent.SourceOptions{About: about[index]})
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// newSingle returns the GraphQL server as a source of queries.
func newSingle(url string) (query.Source, error) {
	guard, err := NewGuard()
	if err != nil {
		return nil, err
	}
	client, err := graphql.NewClient(url, nil)
	if err != nil {
		return nil, err
	}
	return graphqlsource.New(graphqlSource, about[graphqlSource], client, guard)
}

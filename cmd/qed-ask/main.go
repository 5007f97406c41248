// Qed-ask asks a model questions about a database in a terminal, and prints every step:
// the tables, the join path, the SQL as the model wrote it and as it ran, what was
// refused and corrected, the rows, and the answer.
//
//	qed-ask -dsn app.db -all-tables "Which customers ...?"
//	qed-ask -dsn 'mysql://user:password@127.0.0.1:3306/app' -policy policy.json
//	qed-ask -dsn 'postgres://user:password@127.0.0.1:5432/app?schema=sales,crm' -policy policy.json
//
// Without a question it asks what is typed, until an empty line.
//
// OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, in the environment or in a
// .env file, name the model. DB_NAME, DB_HOST, DB_PORT, DB_USER and DB_PWD name a
// MySQL or MariaDB database, and keep the password out of the list of processes.
// See .env.example for all settings.
//
// The policy says what may be read. -session customer=7 is the value of the parameter
// :customer of its filters, and of a setting that its views read. Without a policy,
// -all-tables has to allow every table. The account on a server should have no more rights than the policy needs. If it
// has, the program shows them with the statements that revoke them, and ends;
// -unsafe-account makes it continue.
package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

func main() { command.Main("qed-ask", run) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := command.Flags("qed-ask", "[question]", settings.ModelHelp)
	var where database.Options
	where.Flags(flags)
	session := map[string]any{}
	flags.Func("session", "a `setting=value` that the views and filters of the policy read; can be repeated", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return errors.New("it must be such as customer=7")
		}
		session[name] = value
		where.Settings = func(context.Context) (map[string]any, error) { return session, nil }
		return nil
	})
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	question := strings.Join(flags.Args(), " ")
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}

	// The database, with its join graph and the guard that checks every statement.
	show := chat.NewPrinter(out)
	src, err := database.OpenSource(ctx, &where, conf)
	if src != nil {
		defer src.Close()
		show.Source(src.Name, src.Notes, src.Findings)
	}
	if err != nil {
		return err
	}
	model, _, err := provider.OrReplay(conf, show.Note, nil)
	if err != nil {
		return err
	}

	// The agent. The store keeps what was said before on a thread. If a question can
	// mean several joins, the turn is interrupted for the user's choice.
	options := conf.Agent
	options.Store = &store.InMemory{}
	options.InterruptForJoins = true
	agent, err := sqlagent.New(model, src.DB, src.Guard, src.Schema, &options)
	if err != nil {
		return err
	}
	return chat.Converse(ctx, in, show, question, func(text string) (bool, error) {
		answer, err := chat.Ask(ctx, agent, show, qed.Turn{Thread: "qed-ask", Text: text})
		return len(answer.Questions) > 0, err
	})
}

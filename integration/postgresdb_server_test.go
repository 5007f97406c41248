package integration_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/qedkit/qed/integration"
)

func TestPostgreSQLServer(t *testing.T) {
	ask := func(config *pgx.ConnConfig) (answer int, err error) {
		conn, err := pgx.ConnectConfig(context.Background(), config)
		if err != nil {
			return 0, err
		}
		defer conn.Close(context.Background())
		err = conn.QueryRow(context.Background(), "SELECT 42").Scan(&answer)
		return answer, err
	}
	if got, err := ask(integration.PostgreSQL(t)); got != 42 || err != nil {
		t.Fatal(got, err)
	}

	own := integration.PostgreSQLOwn(t)
	if own.Config().Port == integration.PostgreSQL(t).Port {
		t.Fatal("the test's own server is everybody's")
	}
	own.Kill()
	if _, err := ask(own.Config()); err == nil {
		t.Fatal("a killed server answers")
	}
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(own.Config()); got != 42 || err != nil {
		t.Fatal(got, err)
	}
}

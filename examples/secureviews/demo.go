package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"

	"github.com/qedkit/qed/internal/command/database"
)

// demo is a small company with encrypted columns, for one kind of server.
type demo struct {
	policy   string
	count    string   // counts the objects in the database
	tables   []string // region, customer, employee, visit
	region   string   // id, name
	customer string   // id, regionId, name, taxId, key
	employee string   // id, name, jobTitle, phone, key, salary, key
	visit    string   // id, customerId, employeeId, visitedOn
}

//go:embed policy.mysql.json
var policyMySQL string

//go:embed policy.postgres.json
var policyPostgres string

var demos = map[string]*demo{
	"mysql": {
		policy: policyMySQL,
		count:  "SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE()",
		tables: []string{
			"CREATE TABLE region (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL) CHARACTER SET utf8mb4",
			"CREATE TABLE customer (id INT PRIMARY KEY, regionId INT NOT NULL, name VARCHAR(80) NOT NULL, taxId VARBINARY(255)," +
				" FOREIGN KEY (regionId) REFERENCES region (id)) CHARACTER SET utf8mb4",
			"CREATE TABLE employee (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL, jobTitle VARCHAR(80) NOT NULL," +
				" phone VARBINARY(255), salary VARBINARY(255)) CHARACTER SET utf8mb4",
			"CREATE TABLE visit (id INT PRIMARY KEY, customerId INT NOT NULL, employeeId INT NOT NULL, visitedOn DATE NOT NULL," +
				" FOREIGN KEY (customerId) REFERENCES customer (id), FOREIGN KEY (employeeId) REFERENCES employee (id))",
		},
		region:   "INSERT INTO region VALUES (?, ?)",
		customer: "INSERT INTO customer VALUES (?, ?, ?, AES_ENCRYPT(?, ?))",
		employee: "INSERT INTO employee VALUES (?, ?, ?, AES_ENCRYPT(?, ?), AES_ENCRYPT(?, ?))",
		visit:    "INSERT INTO visit VALUES (?, ?, ?, ?)",
	},
	"postgres": {
		policy: policyPostgres,
		count: "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace" +
			" WHERE n.nspname = current_schema()",
		tables: []string{
			"CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public",
			`CREATE TABLE region (id integer PRIMARY KEY, name text NOT NULL)`,
			`CREATE TABLE customer (id integer PRIMARY KEY, "regionId" integer NOT NULL REFERENCES region (id), name text NOT NULL, "taxId" bytea)`,
			`CREATE TABLE employee (id integer PRIMARY KEY, name text NOT NULL, "jobTitle" text NOT NULL, phone bytea, salary bytea)`,
			`CREATE TABLE visit (id integer PRIMARY KEY, "customerId" integer NOT NULL REFERENCES customer (id),` +
				` "employeeId" integer NOT NULL REFERENCES employee (id), "visitedOn" date NOT NULL)`,
		},
		region:   "INSERT INTO region VALUES ($1, $2)",
		customer: "INSERT INTO customer VALUES ($1, $2, $3, public.pgp_sym_encrypt($4, $5))",
		employee: "INSERT INTO employee VALUES ($1, $2, $3, public.pgp_sym_encrypt($4, $5), public.pgp_sym_encrypt($6, $7))",
		visit:    "INSERT INTO visit VALUES ($1, $2, $3, $4)",
	},
}

// makeDemo creates the company in an empty database.
func makeDemo(ctx context.Context, d *database.Database, key string) error {
	pool, err := d.Pool(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if d.Dialect.Name() == "postgres" {
		if _, err := tx.ExecContext(ctx, "SET LOCAL search_path TO "+d.Dialect.Quote(d.Schema)); err != nil {
			return err
		}
	}
	demo := demos[d.Dialect.Name()]
	var objects int
	if err := tx.QueryRowContext(ctx, demo.count).Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return errors.New("the database is not empty: -demo needs an empty one")
	}
	for _, table := range demo.tables {
		if _, err := tx.ExecContext(ctx, table); err != nil {
			return err
		}
	}
	if err := demo.fill(ctx, tx, key); err != nil {
		return err
	}
	return tx.Commit()
}

func (d *demo) fill(ctx context.Context, tx *sql.Tx, key string) error {
	for _, row := range []struct {
		insert string
		values []any
	}{
		{d.region, []any{1, "North"}},
		{d.region, []any{2, "South"}},
		{d.customer, []any{1, 1, "Malmö Harbour Logistics", "SE-556677", key}},
		{d.customer, []any{2, 1, "Göteborg Ferries", "SE-889900", key}},
		{d.customer, []any{3, 2, "Clínica Santa Rita", "PT-501442", key}},
		{d.employee, []any{1, "Rosa Ferreira", "Technician", "+351 912 000 111", key, "2150.50", key}},
		{d.employee, []any{2, "Pekka Åkesson", "Senior technician", "+46 70 000 222", key, "2890.00", key}},
		{d.employee, []any{3, "Ulla Novák", "Dispatcher", "+46 70 000 333", key, "995.00", key}},
		{d.visit, []any{1, 1, 2, "2026-03-02"}},
		{d.visit, []any{2, 2, 2, "2026-03-09"}},
		{d.visit, []any{3, 3, 1, "2026-03-16"}},
		{d.visit, []any{4, 3, 1, "2026-03-23"}},
	} {
		if _, err := tx.ExecContext(ctx, row.insert, row.values...); err != nil {
			return err
		}
	}
	return nil
}

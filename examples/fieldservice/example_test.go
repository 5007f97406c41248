package fieldservice_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/qedkit/qed/examples/fieldservice"
)

func ExampleCreate() {
	folder, err := os.MkdirTemp("", "fieldservice-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "company.db")
	if err := fieldservice.Create(context.Background(), path); err != nil {
		log.Fatal(err)
	}

	db, err := sql.Open("sqlite", path)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	var technician string
	var hours float64
	err = db.QueryRow(`
		SELECT e.firstName || ' ' || e.lastName, SUM(w.hours)
		FROM secure_employee e
		JOIN workTime w ON w.employeeId = e.id
		WHERE w.workedOn BETWEEN '2026-03-23' AND '2026-03-29'
		GROUP BY e.id
		ORDER BY 2 DESC`).Scan(&technician, &hours)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s worked %.2f hours.\n", technician, hours)
	// Output: Rosa Ferreira worked 37.75 hours.
}

func ExampleCreateIn() {
	// A server needs its driver and its dialect: "mysql" or "postgres".
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	if err := fieldservice.CreateIn(context.Background(), db, "sqlite"); err != nil {
		log.Fatal(err)
	}

	var orders int
	if err := db.QueryRow("SELECT COUNT(*) FROM secure_workorder").Scan(&orders); err != nil {
		log.Fatal(err)
	}
	fmt.Println(orders, "work orders")
	// Output: 300 work orders
}

func ExampleQuestions() {
	q := fieldservice.Questions("sqlite")[2]
	fmt.Println(q.Question)
	fmt.Println(len(q.Statements), "attempts:", q.Shows)
	fmt.Println(q.Answer)
	// Output:
	// Which two people led the most crews formed in the first quarter of 2026?
	// 2 attempts: a wrong column that is caught and corrected: the lead is in employeeCrew, not in crew
	// Oana Pereira led the most crews formed in the first quarter of 2026, 7 of them, followed by Vítor Wójcik with 6.
}

// Package fieldservice makes the database of an example company, and has questions to
// ask about it.
//
// The company services chillers, boilers, lifts and switchboards in four regions.
// [Create] writes it to an SQLite file, and [CreateIn] to a database of SQLite, MySQL,
// MariaDB or PostgreSQL: the 56 tables of schema.sql and about ten thousand rows, those of
// rows.jsonl. The data ends on [Today].
//
// The schema has the difficulties of real ones:
//
//   - Undeclared keys, such as workTime.employeeId. [ManualGraph] has them, and a few
//     doubtful ones.
//   - Two keys between the same tables: the billing and shipping location of an invoice,
//     createdBy and assignedTo of a work order, the statuses before and after a change.
//   - Composite keys: partUsage refers to stock, contractVisit to contractLine, and
//     stockCount to stock, undeclared.
//   - A table and a column named by reserved words ("order", skill."group"), names with
//     accents, NULLs.
//   - Several payments of an invoice and several people in a crew: a sum over such a
//     join counts rows twice.
//
// Six tables hold secrets: user, employee, workOrder, customer, customerLocation and
// customerContact. Their secret columns hold random hexadecimal text in place of encrypted
// values. Each has a view without them, from secure_user to secure_customercontact, by
// which [Policy] replaces it.
//
// On servers names keep their case, so they are quoted in PostgreSQL; texts are compared
// byte by byte; booleans are the numbers 0 and 1.
//
// [Questions] returns a conversation about the company: questions, and the replies of a
// model over the logical tables, with its mistakes.
package fieldservice

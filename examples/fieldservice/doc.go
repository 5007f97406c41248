// Package fieldservice makes the database of an example company, and has questions to
// ask about it.
//
// The company services chillers, boilers, lifts and switchboards in four regions.
// [Create] writes it to an SQLite file, and [CreateIn] to a database of SQLite, MySQL,
// MariaDB or PostgreSQL: 56 tables and about ten thousand rows, those of rows.jsonl. The
// data ends on [Today].
//
// # The schema
//
//   - places and people: region, branch, department, jobTitle, user, employee (each
//     with a manager), skill, employeeSkill, timeOff, vehicle, vehicleAssignment
//   - customers: customer, customerLocation, customerContact, serviceLocation,
//     manufacturer, equipmentModel, equipment, serviceLevel, contract, contractLine
//   - work: priority, workOrderStatus, workOrderType, workOrder, workOrderEquipment,
//     workOrderStatusChange, contractVisit, crew, employeeCrew (the members of a crew
//     and its lead), appointment, workTime, customerFeedback
//   - inspections: inspectionTemplate, inspectionQuestion, inspection,
//     inspectionAnswer, correctiveAction
//   - parts: supplier, partCategory (a tree), part, warehouse, stock, stockCount,
//     partUsage, order, orderLine
//   - money: taxRate, paymentMethod, quote, quoteLine, invoice, invoiceLine, payment
//   - on any row: note, attachment
//
// # What makes it hard
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
// # What may be read
//
// Six tables hold secrets: user, employee, workOrder, customer, customerLocation and
// customerContact. Their secret columns (ssn, salary, phone, passwordHash, taxId,
// accessCode, ...) hold random hexadecimal text in place of encrypted values. Each table
// has a view without the secret columns, from secure_user to secure_customercontact.
// [Policy] replaces the tables by the views.
//
// # On servers
//
// The schema, schema.sql, is written for SQLite and translated for the servers: names
// keep their case, so they are quoted in PostgreSQL; texts are compared byte by byte;
// booleans are the numbers 0 and 1.
//
// # Questions
//
// [Questions] returns a conversation about the company: questions, and the replies of a
// model over the logical tables, with its mistakes.
package fieldservice

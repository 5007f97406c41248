// Package fieldservice makes the database of an example company, and has questions to ask of it.
//
// The company services chillers, boilers, lifts and switchboards in four regions. [Create] writes it into an SQLite file
// and [CreateIn] into any database of SQLite, MySQL, MariaDB or PostgreSQL, from a fixed seed: 56 tables, about ten
// thousand rows, the same on every run, every platform and every engine. Its story ends on [Today].
//
// # The schema
//
//   - places and people: region, branch, department, jobTitle, user, employee (each with a manager), skill,
//     employeeSkill, timeOff, vehicle, vehicleAssignment
//   - customers: customer, customerLocation, customerContact, serviceLocation, manufacturer, equipmentModel, equipment,
//     serviceLevel, contract, contractLine
//   - work: priority, workOrderStatus, workOrderType, workOrder, workOrderEquipment, workOrderStatusChange,
//     contractVisit, crew, employeeCrew (who is in a crew, and who leads it), appointment, workTime, customerFeedback
//   - inspections: inspectionTemplate, inspectionQuestion, inspection, inspectionAnswer, correctiveAction
//   - parts: supplier, partCategory (a tree), part, warehouse, stock, stockCount, partUsage, order, orderLine
//   - money: taxRate, paymentMethod, quote, quoteLine, invoice, invoiceLine, payment
//   - on anything: note, attachment
//
// # What makes it hard
//
// It has what real schemas have, and what a program that writes SQL must cope with:
//
//   - Keys that nobody declared, such as workTime.employeeId. [ManualGraph] has them, beside a few doubtful ones.
//   - Two keys between the same tables: an invoice's billing and shipping location, a work order's createdBy and
//     assignedTo, the statuses before and after a change.
//   - Composite keys: partUsage refers to stock, contractVisit to contractLine, and stockCount to stock undeclared.
//   - A table named by a reserved word ("order"), columns too (skill."group"), names with accents, NULLs.
//   - Several payments to an invoice and several people in a crew: sums over such joins count twice.
//
// # What may be read
//
// Six tables hold secrets: user, employee, workOrder, customer, customerLocation and customerContact. Their secret
// columns (ssn, salary, phone, passwordHash, taxId, accessCode, ...) hold random hexadecimal text that stands for
// encrypted values. Each has a view, from secure_user to secure_customercontact, without the secret columns.
// [Policy] sends every reader to the views.
//
// # On servers
//
// There is one schema, schema.sql, written for SQLite. The servers' is made of it: names keep their case, and so are
// quoted in PostgreSQL; texts are compared byte by byte; what is true or false is a number, 0 or 1.
//
// # Questions
//
// [Questions] are what a conversation with the company looks like: the words of a model, with its mistakes, over the
// logical tables.
package fieldservice

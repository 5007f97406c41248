// A field-service application in the size of a real one, in Sequelize: 122 tables and
// 1,801 associations. Six tables have encrypted columns.
//
//   node sequelize.cjs models.cjs > associations.json   exports the associations
//   DATABASE_URL=mysql://.. node models.cjs              creates the tables
"use strict";
const { Sequelize, DataTypes } = require("sequelize");

const url = process.env.DATABASE_URL || "mysql://nobody@127.0.0.1/none";
const sequelize = new Sequelize(url, { logging: false, define: { freezeTableName: true, timestamps: true } });
const encrypted = sequelize.getDialect() === "postgres" ? "BYTEA" : "VARBINARY(255)";

// Each table with its parents, and after a colon its other columns. A name in brackets is
// the role in which a row refers to its parent; ? means that it need not have one.
const tables = `
company : name vatNumber
country : name isoCode
region country : name
city region : name postalCode
currency : name isoCode
taxRate country : name percent#
language : name isoCode
setting : key value
branch city : name
department branch : name
costCenter department : name code
role : name
permission : name
rolePermission role permission :
user department role : login! email! lastLogin@
userSession user : startedAt@ address
employee department user city costCenter? : firstName! lastName! email! phone! jobTitle salary! active# hiredOn@
employeeProfile employee language : biography
skill : name
employeeSkill employee skill : level#
certificate skill : name validMonths#
employeeCertificate employee certificate : issuedOn@ expiresOn@
team department employee[leader] : name
teamMember team employee : since@
shiftPlan department : name weekStart@
shift shiftPlan employee : startsAt@ endsAt@
absenceType : name paid#
absence employee absenceType employee[substitute]? : startsOn@ endsOn@
payrollPeriod : name startsOn@ endsOn@
payrollEntry payrollPeriod employee costCenter : gross# net#
overtimeRule department : name factor#
travelExpense employee currency : purpose total#
expenseCategory : name
expenseItem travelExpense expenseCategory taxRate : amount#
vehicleCategory : name
vehicle vehicleCategory branch : plate mileage#
vehicleAssignment vehicle employee : startsOn@ endsOn@
vehicleInspection vehicle employee[inspector] : doneOn@ result
fuelLog vehicle employee currency : liters# price#
toolCategory : name
tool toolCategory branch : name serial
toolLoan tool employee : lentOn@ returnedOn@
customerGroup : name
paymentTerm : name days#
priceList currency : name
customer customerGroup city paymentTerm priceList employee[accountManager] : name! taxId! status
customerContact customer language : firstName! lastName! email! phone! position
customerNote customer employee[author] : text
customerTag customer tag :
tag : name
customerLocation customer city : name! street!
locationContact customerLocation customerContact :
building customerLocation : name storeys#
floor building : level#
room floor : number
manufacturer country : name
assetCategory : name
assetModel manufacturer assetCategory : name
asset assetModel customerLocation room? asset[parent]? : serial installedOn@
assetMeter asset : name unit
assetReading assetMeter employee : readAt@ value#
assetDocument asset document : title
document user[uploader] : fileName bytes#
slaPolicy : name hours#
contractType : name
contract customer contractType slaPolicy currency : number startsOn@ endsOn@
contractLine contract product : quantity# price#
contractAsset contract asset :
maintenanceInterval : name days#
maintenancePlan contract maintenanceInterval : name
maintenanceTask maintenancePlan asset : text
productCategory productCategory[parent]? : name
unit : name
product productCategory unit taxRate manufacturer : name price#
priceListEntry priceList product : price#
supplier city currency paymentTerm : name
supplierContact supplier language : name
productSupplier product supplier : price#
warehouse branch : name
storageBin warehouse : code
stock storageBin product : quantity#
stockMovement stock employee : movedAt@ quantity#
stockCount warehouse employee[counter] : countedOn@
stockCountLine stockCount stock : counted#
purchaseOrder supplier warehouse employee[buyer] currency : number orderedOn@
purchaseOrderLine purchaseOrder product taxRate : quantity# price#
goodsReceipt purchaseOrder employee[receiver] : receivedOn@
goodsReceiptLine goodsReceipt purchaseOrderLine storageBin : quantity#
ticketCategory : name
ticket customer customerContact ticketCategory slaPolicy : subject openedAt@ status
ticketMessage ticket user[author] : text sentAt@
workOrderType : name
workOrderPriority : name
workOrder customer customerLocation contract? ticket? workOrderType workOrderPriority employee[dispatcher] : title! description! status dueOn@ closedOn@
workOrderTechnician workOrder employee : plannedHours#
workOrderAsset workOrder asset :
workOrderNote workOrder employee[author] : text
workOrderPhoto workOrder document : takenAt@
workOrderMaterial workOrder product stock? : quantity# price#
workOrderTool workOrder tool :
workOrderStatusChange workOrder employee : status changedAt@
workOrderSignature workOrder customerContact document : signedAt@
appointment workOrder employee : startsAt@ endsAt@
appointmentReminder appointment : sentAt@
workTime employee workOrder costCenter? : hours# workedOn@
workTimeCorrection workTime employee[approver] : hours# reason
inspectionTemplate assetCategory : name
inspectionQuestion inspectionTemplate : text position#
inspection workOrder inspectionTemplate employee[inspector] asset : doneOn@ result
inspectionAnswer inspection inspectionQuestion : answer
defectCategory : name
defect inspection asset defectCategory : severity# text
defectMeasure defect employee[responsible] workOrder? : text doneOn@
quote customer workOrder? employee[seller] currency : number quotedOn@ total#
quoteLine quote product taxRate : quantity# price#
invoice customer contract? currency paymentTerm : number issuedOn@ total# status
invoiceLine invoice workOrder? product? taxRate : text quantity# price#
invoiceReminder invoice user[sender] : sentOn@ level#
paymentMethod : name
payment invoice paymentMethod : paidOn@ amount#
notification user : text readAt@
auditLog user : action happenedAt@`;

const kinds = { "#": DataTypes.DECIMAL(12, 2), "@": DataTypes.DATEONLY, "!": encrypted };
const models = {}, parents = [];
for (const line of tables.trim().split("\n")) {
  const [head, columns] = line.split(" :");
  const [name, ...refers] = head.trim().split(" ");
  const attributes = { id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true } };
  for (const column of columns.trim().split(" ").filter(Boolean)) {
    const kind = kinds[column.slice(-1)];
    attributes[kind ? column.slice(0, -1) : column] = { type: kind ?? DataTypes.STRING(200) };
  }
  models[name] = sequelize.define(name, attributes);
  for (const refer of refers) parents.push([name, ...refer.match(/^(\w+)(?:\[(\w+)\])?(\?)?$/).slice(1)]);
}

let associations = 0;
function relate(child, parent, role, options) {
  const foreignKey = { name: (role ?? parent) + "Id", allowNull: !options.required };
  const as = role ? { as: role } : {};
  models[child].belongsTo(models[parent], { foreignKey, constraints: options.declared, ...as });
  associations++;
  if (associations === 1801) return;
  models[parent].hasMany(models[child], { foreignKey, constraints: options.declared, ...(role ? { as: role + "Of" + child } : {}) });
  associations++;
}

// Half of the keys are declared in the database, as in applications that grew.
parents.forEach(([child, parent, role, optional], i) => {
  relate(child, parent, role, { required: !optional, declared: i % 2 === 0 && child !== parent });
});
// What every table has, is declared nowhere.
const common = [["company"], ["user", "createdBy"], ["user", "updatedBy"], ["user", "deletedBy"], ["branch"], ["employee", "owner"], ["employee", "reviewer"]];
for (const [parent, role] of common) {
  for (const child of Object.keys(models)) {
    if (associations < 1801 && child !== parent && !models[child].rawAttributes[(role ?? parent) + "Id"]) relate(child, parent, role, { declared: false });
  }
}
if (Object.keys(models).length !== 122 || associations !== 1801) {
  throw new Error(`${Object.keys(models).length} tables and ${associations} associations`);
}

module.exports = sequelize;
if (require.main === module) sequelize.sync().then(() => sequelize.close());

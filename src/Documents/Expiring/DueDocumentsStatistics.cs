namespace Jackdaw.Documents.Expiring;

/// <summary>What became of the documents with a date of one kind.</summary>
/// <param name="Settings">As configured; null: never.</param>
/// <param name="Done">Documents expired, or refreshed, since the database was opened.</param>
/// <param name="Waiting">Documents that have such a date, passed or not.</param>
/// <param name="NextDue">The earliest of these dates, UTC; it lies in the past while a document that is due is still there. Null:
/// there is none.</param>
/// <param name="Overdue">How long ago that was; zero: it lies ahead, or there is none.</param>
/// <param name="Skipped">Documents that the last pass could not read or write.</param>
/// <param name="Passes">Passes begun since the database was opened.</param>
public sealed record DueDocumentsStatistics(
    DueDocumentsSettings? Settings,
    long Done,
    long Waiting,
    DateTime? NextDue,
    TimeSpan Overdue,
    long Skipped,
    long Passes
);

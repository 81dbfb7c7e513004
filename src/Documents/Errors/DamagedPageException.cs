using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Errors;

/// <summary>
/// An operation needed a page that is damaged. Nothing of the operation was kept; operations that do not need the page are not
/// affected. Thrown
/// for damage in the pages of documents, of their indexes and of tasks; damage in the catalog or in free space poisons the
/// database instead.
/// </summary>
public sealed class DamagedPageException : OperationException
{
    /// <summary>Describes the failure of one operation.</summary>
    /// <param name="database">The database's name, for the message.</param>
    /// <param name="damage">What was found, with the file and the offset.</param>
    public DamagedPageException(string database, CorruptedDataException damage)
        : base(
            $"A page of database '{database}' that this operation needs is damaged: {damage.Message}. Nothing of the operation was kept. "
                + $"Operations that do not need the page are not affected; GET /databases/{database}/alerts says what to do.",
            damage
        ) => Damage = damage;

    /// <summary>The file, the offset and the check that failed.</summary>
    public CorruptedDataException Damage { get; }
}

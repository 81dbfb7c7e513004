using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Writing;

/// <summary>
/// A page that only the removal of dead rows needed is damaged. What the transaction's operations do is not concerned: they are
/// executed again in another, which removes
/// none (<see cref="DocumentsWriter.TidyingFault"/>).
/// </summary>
internal sealed class TidyingFailedException(CorruptedDataException damage) : Exception(damage.Message, damage);

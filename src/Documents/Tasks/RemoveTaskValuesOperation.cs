using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Tasks;

/// <summary>Removes a bounded number of the values that tasks keep about themselves. Not pooled.</summary>
/// <param name="prefix">What their keys begin with.</param>
/// <param name="before">Only keys that come before this one, in the order of bytes.</param>
/// <param name="atMost">So many.</param>
public sealed class RemoveTaskValuesOperation(string prefix, string before, int atMost) : MergedOperation
{
    /// <inheritdoc />
    public override long SizeBytes => prefix.Length + before.Length;

    /// <summary>How many there were. A result.</summary>
    public int Removed { get; private set; }

    internal override void Execute(DocumentsWriter writer) =>
        Removed = writer.RemoveTaskValues(Encoding.UTF8.GetBytes(prefix), Encoding.UTF8.GetBytes(before), atMost);
}

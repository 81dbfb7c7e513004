using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Tests;

/// <summary>An operation that does what the test says.</summary>
internal sealed class ScriptedOperation(Action<DocumentsWriter> script, long sizeBytes = 0) : MergedOperation
{
    public int Executions { get; private set; }

    public override long SizeBytes => sizeBytes;

    internal override void Execute(DocumentsWriter writer)
    {
        Executions++;
        script(writer);
    }
}

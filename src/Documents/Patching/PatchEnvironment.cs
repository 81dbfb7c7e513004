using Jackdaw.Scripting;

namespace Jackdaw.Documents.Patching;

/// <summary>What scripts of patches see: patch.js, and behind it the transaction that they run in.</summary>
internal static class PatchEnvironment
{
    public static ScriptEnvironment Instance { get; } =
        new(
            "patch",
            DocumentsScript.Before(ScriptResource.Read(typeof(PatchEnvironment).Assembly, "patch.js")),
            new ScriptFunction("load", (ref call) => Execution(call).Load(ref call)),
            new ScriptFunction("put", (ref call) => Execution(call).Put(ref call)),
            new ScriptFunction("del", (ref call) => Execution(call).Delete(ref call)),
            new ScriptFunction("output", (ref call) => Execution(call).WriteOutput(call.Text(0)))
        );

    private static PatchExecution Execution(ScriptInvocation call) => (PatchExecution)call.State!;
}

using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Metrics;
using Jackdaw.Server.Security;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What the process holds in memory: the managed heap, and native memory by owner. Bytes.</summary>
internal static class MemoryEndpoints
{
    private static readonly GCKind[] s_generation2Kinds = [GCKind.FullBlocking, GCKind.Background];

    public static void Map(Router router) =>
        router.Server(
            "GET",
            "/admin/debug/memory",
            RequiredRight.Operator,
            request =>
                request.SendJsonAsync(json =>
                {
                    json.WriteStartObject();
                    // What is dead and not yet collected counts: it takes the memory all the same.
                    json.WriteNumber("ManagedHeap", GC.GetTotalMemory(forceFullCollection: false));
                    json.WriteNumber("Anonymous", ProcessStatus.AnonymousBytes());
                    json.WriteNumber("ManagedAllocated", GC.GetTotalAllocatedBytes());
                    json.WriteNumber("ManagedCommitted", GC.GetGCMemoryInfo().TotalCommittedBytes);
                    WriteGeneration2(json);
                    json.WriteStartObject("Native");
                    foreach (var owner in NativeArena.Accounts().GroupBy(account => account.Owner, StringComparer.Ordinal))
                        json.WriteNumber(owner.Key, owner.Sum(account => account.Bytes));
                    json.WriteEndObject();
                    json.WriteStartArray("Pools");
                    foreach (var (owner, kept, bound) in KeptMemory.Accounts())
                    {
                        json.WriteStartObject();
                        json.WriteString("Owner", owner);
                        json.WriteNumber("Kept", kept);
                        json.WriteNumber("MaxKept", bound);
                        json.WriteEndObject();
                    }
                    json.WriteEndArray();
                    json.WriteNumber("IdleScriptMachines", request.Server.Scripts.IdleMachineCount);
                    json.WriteStartObject("Allowance");
                    json.WriteNumber("Total", request.Server.Memory.TotalBytes);
                    json.WriteNumber("Used", request.Server.Memory.UsedBytes);
                    json.WriteStartObject("Owners");
                    foreach (var (owner, bytes) in request.Server.Memory.Accounts())
                        json.WriteNumber(owner, bytes);
                    json.WriteEndObject();
                    json.WriteEndObject();
                    json.WriteEndObject();
                })
        );

    /// <summary>The last collection of generation 2 of each kind that there was, with the longest time for which it stopped all
    /// threads.</summary>
    private static void WriteGeneration2(Utf8JsonWriter json)
    {
        json.WriteStartArray("Generation2");
        foreach (var kind in s_generation2Kinds)
        {
            var last = GC.GetGCMemoryInfo(kind);
            if (last.Index == 0)
                continue;
            json.WriteStartObject();
            json.WriteString("Kind", kind.ToString());
            json.WriteNumber("Index", last.Index);
            var pause = TimeSpan.Zero;
            foreach (var part in last.PauseDurations)
                pause = part > pause ? part : pause;
            json.WriteNumber("PauseMs", Math.Round(pause.TotalMilliseconds, 3));
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }
}

using Jackdaw.Server.Http;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What the process holds in memory: the managed heap, and native memory by owner. Bytes.</summary>
internal static class MemoryEndpoints
{
    public static void Map(Router router) =>
        router.Server(
            "GET",
            "/admin/debug/memory",
            request =>
                request.SendJsonAsync(json =>
                {
                    json.WriteStartObject();
                    // What is dead and not yet collected counts: it takes the memory all the same.
                    json.WriteNumber("ManagedHeap", GC.GetTotalMemory(forceFullCollection: false));
                    json.WriteNumber("ManagedAllocated", GC.GetTotalAllocatedBytes());
                    json.WriteNumber("ManagedCommitted", GC.GetGCMemoryInfo().TotalCommittedBytes);
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
}

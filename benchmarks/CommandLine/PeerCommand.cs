using System.CommandLine;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.CommandLine;

/// <summary>The processes that benchmarks start beside themselves. They end when standard input closes.</summary>
internal static class PeerCommand
{
    private static readonly Option<int> Port = new("--port") { Description = "0 chooses a free one" };

    private static readonly Option<string> Folder = new("--dir") { Description = "The store's folder", Required = true };

    public static Command Create()
    {
        var peer = new Command("peer", "Processes that benchmarks start") { Hidden = true };
        peer.Subcommands.Add(Kestrel());
        peer.Subcommands.Add(Skeleton());
        peer.Subcommands.Add(Upgrade());
        peer.Subcommands.Add(FillJournal());
        peer.Subcommands.Add(Recover());
        return peer;
    }

    private static Command Kestrel()
    {
        var body = new Option<string>("--body") { Description = "The file with the bytes of every answer", Required = true };
        var certificate = new Option<string?>("--certificate") { Description = "A PFX file without a password, for https" };
        var command = new Command("kestrel", "Answers every request with the same bytes") { Port, body, certificate };
        command.SetAction(
            async (parsed, cancel) =>
                await KestrelPeer.RunAsync(
                    parsed.GetValue(Port),
                    await File.ReadAllBytesAsync(parsed.GetValue(body)!, cancel),
                    parsed.GetValue(certificate),
                    cancel
                )
        );
        return command;
    }

    private static Command Skeleton()
    {
        var file = new Option<string>("--file") { Description = "Where the writes go", Required = true };
        var command = new Command("skeleton", "Parses each body and writes it in a merged direct write") { Port, file };
        command.SetAction((parsed, cancel) => SkeletonPeer.RunAsync(parsed.GetValue(Port), parsed.GetValue(file)!, cancel));
        return command;
    }

    private static Command Upgrade()
    {
        var command = new Command("upgrade", "Upgrades every connection and waits for its first byte") { Port };
        command.SetAction((parsed, cancel) => UpgradePeer.RunAsync(parsed.GetValue(Port), cancel));
        return command;
    }

    private static Command FillJournal()
    {
        var megabytes = new Option<int>("--megabytes") { Description = "Journal to write", Required = true };
        var compressed = new Option<bool>("--compressed")
        {
            Description = "Operations of about 1 MB and compressed records, instead of one document each and plain",
        };
        var command = new Command("fill-journal", "Fills a store's journal and kills itself") { Folder, megabytes, compressed };
        command.SetAction(
            (parsed, cancel) =>
                StorePeers.FillJournalAsync(
                    parsed.GetValue(Folder)!,
                    parsed.GetValue(megabytes) * 1_000_000L,
                    parsed.GetValue(compressed),
                    cancel
                )
        );
        return command;
    }

    private static Command Recover()
    {
        var command = new Command("recover", "Opens a store and tells how long that took") { Folder };
        command.SetAction((parsed, cancel) => StorePeers.RecoverAsync(parsed.GetValue(Folder)!, cancel));
        return command;
    }
}

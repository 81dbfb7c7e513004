using System.Diagnostics;
using System.Runtime.InteropServices;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Peers;

/// <summary>The state of the file that the raw device's rate is measured over; it matters more than the write's size.</summary>
internal enum RawFile
{
    /// <summary>Written once with zeroes before each run, so that every block is written for the second time.</summary>
    ZeroFilled,

    /// <summary>Written over again and again: from the second run on, every block already holds an earlier run's bytes.</summary>
    Recycled,
}

/// <summary>
/// The disk itself: one thread, one write at a time, O_DIRECT and O_DSYNC, blocks in order, round and round over one file.
/// What a journal with one write in flight can reach at best.
/// </summary>
/// <param name="name">The row's title.</param>
/// <param name="file">The file's state.</param>
/// <param name="writeSize">Bytes a write, asked at each run; rounded up to whole blocks of 4,096.</param>
/// <param name="fullSeconds">Length of a run.</param>
/// <param name="quickSeconds">Length of a run in quick mode.</param>
internal sealed class RawDevice(string name, RawFile file, Func<int> writeSize, double fullSeconds, double quickSeconds) : Contender(name)
{
    public const int Block = 4096;
    private const long FullFileSize = 256L << 20;
    private const long QuickFileSize = 64L << 20;
    private const int FillSize = 1 << 20;

    private string? _path;

    public override Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _path = Path.Combine(context.Directory, "raw");
        if (file == RawFile.Recycled)
        {
            Fill(_path, FileSize(context), 0x00);
            Fill(_path, FileSize(context), 0x5A);
        }
        return Task.CompletedTask;
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        if (file == RawFile.ZeroFilled)
        {
            File.Delete(_path!);
            Fill(_path!, FileSize(context), 0x00);
        }
        int size = (writeSize() + Block - 1) / Block * Block;
        return Task.FromResult(Measure(_path!, FileSize(context), size, context.Settings.Duration(fullSeconds, quickSeconds), cancel));
    }

    private static long FileSize(RunContext context) => context.Settings.Pick(FullFileSize, QuickFileSize);

    private Sample Measure(string path, long fileSize, int size, TimeSpan duration, CancellationToken cancel)
    {
        using var target = new DirectFile(path);
        using var block = new AlignedBlock(size, Block);
        var latencies = new LatencyHistogram();
        Random.Shared.NextBytes(block.Bytes);
        long offset = 0,
            number = 0;
        var clock = Stopwatch.StartNew();
        // A zero-filled file is measured over its first pass only: after that it would be a recycled one.
        while (clock.Elapsed < duration && !cancel.IsCancellationRequested)
        {
            MemoryMarshal.Write(block.Bytes, ++number);
            long start = Stopwatch.GetTimestamp();
            target.Write(block.Bytes, offset);
            latencies.RecordSince(start);
            offset += size;
            if (offset + size <= fileSize)
                continue;
            if (file == RawFile.ZeroFilled)
                break;
            offset = 0;
        }
        double seconds = clock.Elapsed.TotalSeconds;
        return new Sample().With(Metric.Rate, number / seconds).With(latencies).With(Metric.WriteSize, size);
    }

    private static void Fill(string path, long fileSize, byte value)
    {
        using var target = new DirectFile(path);
        using var block = new AlignedBlock(FillSize, Block);
        block.Bytes.Fill(value);
        for (long offset = 0; offset < fileSize; offset += FillSize)
            target.Write(block.Bytes, offset);
    }
}

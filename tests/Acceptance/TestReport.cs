using Xunit.Abstractions;

namespace Jackdaw.Acceptance;

/// <summary>What a test found, for people: in its output and, when <c>JACKDAW_TEST_REPORT</c> names a file, as a line there,
/// which ./test shows.</summary>
internal static class TestReport
{
    public static void Write(ITestOutputHelper output, string line)
    {
        output.WriteLine(line);
        if (Environment.GetEnvironmentVariable("JACKDAW_TEST_REPORT") is { Length: > 0 } file)
            File.AppendAllText(file, line + '\n');
    }
}
